-- What instances were before, of those whose past is kept. Append only; the instance has what never
-- changes.
create table versions (
    tenant text collate "C" not null,
    kind smallint not null,
    id text collate "C" not null,
    version bigint not null,
    updated_at bigint not null,
    definition text collate "C",
    definition_version integer,
    status text collate "C" not null,
    step text,
    awaits text collate "C",
    business_key text collate "C",
    unique_key text collate "C",
    state text not null,
    primary key (tenant, kind, id, version)
);

-- What instances can be looked up by. The index has all that a lookup needs to know.
create table terms (
    tenant text collate "C" not null,
    kind smallint not null,
    id text collate "C" not null,
    path text collate "C" not null,
    key bytea not null,
    definition text collate "C" not null,
    definition_version integer not null,
    primary key (tenant, kind, id, path, key)
);

create index terms_lookup on terms (tenant, kind, definition, definition_version, path, key, id);

-- Entities of one definition, by id. Other faces are not gone through that way, and need not pay.
create index instances_sift on instances (
    tenant, kind, definition, definition_version, id, status
) where kind = 1;

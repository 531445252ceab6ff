-- What instances were before, of those whose past is kept. Append only; `instance` is the number of
-- the instance, which has what never changes.
create table versions (
    instance integer not null,
    version integer not null,
    updated_at integer not null,
    definition text,
    definition_version integer,
    status text not null,
    step text,
    awaits text,
    business_key text,
    unique_key text,
    state text not null
) strict;

-- The time spares a look at the table while the version of an instant is searched for.
create index versions_history on versions (instance, version, updated_at);

-- What instances can be looked up by. What one instance has lies together, so that it can be
-- replaced; the index has all that a lookup needs to know.
create table terms (
    instance integer not null,
    path text not null,
    key blob not null,
    tenant text not null,
    kind integer not null,
    definition text not null,
    definition_version integer not null,
    id text not null,
    primary key (instance, path, key)
) strict, without rowid;

create index terms_lookup on terms (tenant, kind, definition, definition_version, path, key, id);

-- Entities of one definition, by id. Other faces are not gone through that way, and need not pay.
create index instances_sift on instances (
    tenant, kind, definition, definition_version, id, status
) where kind = 1;

-- The latest time that was given to a commit, so that none is given twice.
create table clock (
    landed_at integer not null
) strict;

insert into clock (landed_at) values (0);

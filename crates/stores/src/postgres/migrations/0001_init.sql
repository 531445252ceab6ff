-- Every primary key begins with the tenant, the kind and the instance, so that the tables can be
-- spread over machines by them. Texts compare by their bytes, as they do in the other stores.

create table definitions (
    tenant text collate "C" not null,
    kind smallint not null,
    name text collate "C" not null,
    version integer not null,
    body text not null,
    created_at bigint not null,
    primary key (tenant, kind, name, version)
);

-- A commit that only moves an instance on touches no index: its new row finds room beside the old
-- one. `position` is that of the instance's last event in its stream.
create table instances (
    tenant text collate "C" not null,
    kind smallint not null,
    id text collate "C" not null,
    version bigint not null,
    position bigint not null,
    definition text collate "C",
    definition_version integer,
    status text collate "C" not null,
    step text,
    awaits text collate "C",
    business_key text collate "C",
    unique_key text collate "C",
    created_at bigint not null,
    updated_at bigint not null,
    state text not null,
    primary key (tenant, kind, id)
) with (fillfactor = 80);

-- The status comes first, lest the planner of an empty database takes this for the primary key.
create index instances_status on instances (status, tenant, kind, id);
create index instances_definition on instances (tenant, kind, definition, status, id)
    where definition is not null;
create index instances_business_key on instances (tenant, kind, business_key, id)
    where business_key is not null;
create index instances_awaits on instances (tenant, kind, awaits, id) where awaits is not null;
create unique index instances_unique_key on instances (tenant, kind, unique_key)
    where unique_key is not null;

-- Each writer numbers its own events: nothing is counted across nodes. `position` is where a writer
-- that ended in good order left off; the next one goes on from there.
create table streams (
    stream bigint not null,
    position bigint,
    primary key (stream)
);

-- Append only.
create table events (
    tenant text collate "C" not null,
    kind smallint not null,
    id text collate "C" not null,
    version bigint not null,
    stream bigint not null,
    position bigint not null,
    happened_at bigint not null,
    events text not null,
    primary key (tenant, kind, id, version)
);

create index events_stream on events (stream, tenant, kind, position);

create table tasks (
    tenant text collate "C" not null,
    kind smallint not null,
    id text collate "C" not null,
    task text collate "C" not null,
    queue text collate "C" not null,
    family text collate "C" not null,
    ready_at bigint not null,
    version bigint not null,
    token text,
    worker text,
    lease_until bigint,
    primary key (tenant, kind, id, task)
);

-- In the order of claiming.
create index tasks_free on tasks (tenant, kind, queue, family, ready_at, id, task)
    where token is null;
create index tasks_held on tasks (lease_until) where token is not null;

create table timers (
    tenant text collate "C" not null,
    kind smallint not null,
    id text collate "C" not null,
    timer text collate "C" not null,
    due_at bigint not null,
    command text not null,
    primary key (tenant, kind, id, timer)
);

create index timers_due on timers (due_at);

-- A message may be taken from `available_at` on: when it is ready, or when its sender is overdue.
create table outbox (
    tenant text collate "C" not null,
    kind smallint not null,
    id text collate "C" not null,
    message text collate "C" not null,
    event_type text not null,
    occurred_at bigint not null,
    payload text not null,
    headers text not null,
    attempts integer not null,
    available_at bigint not null,
    token text,
    dead boolean not null,
    error text,
    primary key (tenant, kind, id, message)
);

create index outbox_pending on outbox (occurred_at, available_at) where not dead;
create index outbox_dead on outbox (occurred_at) where dead;

create table requests (
    tenant text collate "C" not null,
    request text collate "C" not null,
    digest text not null,
    receipt text not null,
    made_at bigint not null,
    primary key (tenant, request)
);

create index requests_made on requests (made_at);

-- Lean on purpose: a commit that only moves an instance on touches no index of `instances`.

create table definitions (
    tenant text not null,
    kind integer not null,
    name text not null,
    version integer not null,
    body text not null,
    created_at integer not null,
    primary key (tenant, kind, name, version desc)
) strict;

-- The state comes last, so that reading what is before it never follows an overflow page.
create table instances (
    number integer primary key,
    tenant text not null,
    kind integer not null,
    id text not null,
    version integer not null,
    definition text,
    definition_version integer,
    status text not null,
    step text,
    awaits text,
    business_key text,
    unique_key text,
    created_at integer not null,
    updated_at integer not null,
    state text not null
) strict;

create unique index instances_key on instances (tenant, kind, id);
create index instances_status on instances (tenant, kind, status, id);
create index instances_definition on instances (tenant, kind, definition, status, id)
    where definition is not null;
create index instances_business_key on instances (tenant, kind, business_key, id)
    where business_key is not null;
create index instances_awaits on instances (tenant, kind, awaits, id) where awaits is not null;
create unique index instances_unique_key on instances (tenant, kind, unique_key)
    where unique_key is not null;

-- Append only. The position is the place in the stream that watchers read; `instance` is the
-- number of the instance, which keeps the index of histories narrow.
create table events (
    position integer primary key,
    instance integer not null,
    version integer not null,
    tenant text not null,
    kind integer not null,
    id text not null,
    happened_at integer not null,
    events text not null
) strict;

create unique index events_history on events (instance, version);
create index events_scope on events (tenant, kind);

create table tasks (
    tenant text not null,
    kind integer not null,
    id text not null,
    task text not null,
    queue text not null,
    family text not null,
    ready_at integer not null,
    version integer not null,
    token text,
    worker text,
    lease_until integer,
    primary key (tenant, kind, id, task)
) strict, without rowid;

-- In the order of claiming, and with all a claim needs to know: the token, though always null
-- here, spares it a look at the table.
create index tasks_free on tasks (tenant, kind, queue, family, ready_at, id, task, version, token)
    where token is null;
create index tasks_held on tasks (lease_until) where lease_until is not null;

create table timers (
    tenant text not null,
    kind integer not null,
    id text not null,
    timer text not null,
    due_at integer not null,
    command text not null,
    primary key (tenant, kind, id, timer)
) strict, without rowid;

create index timers_due on timers (due_at);

-- A message may be taken from `available_at` on: when it is ready, or when its sender is overdue.
create table outbox (
    tenant text not null,
    kind integer not null,
    id text not null,
    message text not null,
    event_type text not null,
    occurred_at integer not null,
    payload text not null,
    headers text not null,
    attempts integer not null,
    available_at integer not null,
    token text,
    dead integer not null,
    error text,
    primary key (tenant, kind, id, message)
) strict;

create index outbox_available on outbox (available_at) where dead = 0;
create index outbox_age on outbox (dead, occurred_at);

create table requests (
    tenant text not null,
    request text not null,
    digest text not null,
    receipt text not null,
    made_at integer not null,
    primary key (tenant, request)
) strict, without rowid;

create index requests_made on requests (made_at);

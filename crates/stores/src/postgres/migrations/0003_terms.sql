-- What one instance has is found by the primary key. While the database has no statistics it took this
-- index for as good, and went through all of it; an index that begins with the definition is none for
-- those who do not name one.
drop index terms_lookup;

create index terms_lookup on terms (definition, definition_version, tenant, kind, path, key, id);

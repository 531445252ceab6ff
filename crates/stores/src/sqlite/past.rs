//! Writing what an instance was, what it can be looked up by, and when commits landed; and making all
//! of an instance disappear.

use std::collections::BTreeSet;

use rusqlite::{Result, params};
use waypost_kernel::{Key, Term, Write};

use super::facts::Tables;

impl Tables<'_> {
    /// Copies an instance as it is to where its past is.
    pub(super) fn keep_version(&mut self, number: i64) -> Result<()> {
        self.sql(
            "insert into versions (instance, version, updated_at, definition, definition_version,
                     status, step, awaits, business_key, unique_key, state)
                 select number, version, updated_at, definition, definition_version, status, step,
                     awaits, business_key, unique_key, state
                 from instances where number = ?1",
        )?
        .execute([number])
        .map(drop)
    }

    /// Makes `terms` what the instance can be looked up by. What stays is not written again.
    pub(super) fn replace_terms(
        &mut self,
        write: &Write,
        number: i64,
        terms: &[Term],
    ) -> Result<()> {
        let definition = write.facets.definition.as_ref();
        // Lookups go by definition: whoever has none cannot be found.
        let mut wanted: BTreeSet<&Term> = terms.iter().filter(|_| definition.is_some()).collect();
        for (term, name, version) in self.terms(number)? {
            let is_known_so = definition.is_some_and(|it| it.name == name && it.version == version);
            let is_wanted = is_known_so && wanted.remove::<Term>(&term);
            if !is_wanted {
                self.delete_term(number, &term)?;
            }
        }
        wanted.into_iter().try_for_each(|it| self.insert_term(write, number, it))
    }

    /// What an instance can be looked up by, each with the definition it is known under.
    fn terms(&mut self, number: i64) -> Result<Vec<(Term, String, i32)>> {
        self.sql("select path, key, definition, definition_version from terms where instance = ?1")?
            .query_map([number], |row| {
                let term = Term { path: row.get(0)?, key: row.get(1)? };
                Ok((term, row.get(2)?, row.get(3)?))
            })?
            .collect()
    }

    fn delete_term(&mut self, number: i64, term: &Term) -> Result<()> {
        self.sql("delete from terms where instance = ?1 and path = ?2 and key = ?3")?
            .execute(params![number, term.path, term.key])
            .map(drop)
    }

    fn insert_term(&mut self, write: &Write, number: i64, term: &Term) -> Result<()> {
        let definition = write.facets.definition.as_ref();
        self.sql(
            "insert into terms (instance, path, key, tenant, kind, definition,
                     definition_version, id)
                 values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            number,
            term.path,
            term.key,
            write.key.tenant.as_str(),
            write.key.kind.code(),
            definition.map(|it| &it.name),
            definition.map(|it| it.version),
            write.key.id.as_str()
        ])
        .map(drop)
    }

    /// Makes everything of an instance disappear, but its messages.
    pub(super) fn erase(&mut self, key: &Key) -> Result<()> {
        if let Some(place) = self.place(key)? {
            self.erase_events(place.number)?;
            let delete = [
                "delete from versions where instance = ?1",
                "delete from terms where instance = ?1",
                "delete from instances where number = ?1",
            ];
            for sql in delete {
                self.sql(sql)?.execute([place.number])?;
            }
        }
        let delete = [
            "delete from tasks where tenant = ?1 and kind = ?2 and id = ?3",
            "delete from timers where tenant = ?1 and kind = ?2 and id = ?3",
        ];
        for sql in delete {
            let address = params![key.tenant.as_str(), key.kind.code(), key.id.as_str()];
            self.sql(sql)?.execute(address)?;
        }
        Ok(())
    }

    /// The next event gets the position after the last one there is. So that no position is used
    /// twice, which would hide the second event from those who have seen the first, the last one
    /// leaves a row behind that nobody reads: there is no such kind.
    fn erase_events(&mut self, number: i64) -> Result<()> {
        let sql = "select coalesce(max(position), 0) from events";
        let last: i64 = self.sql(sql)?.query_row([], |row| row.get(0))?;
        self.sql("delete from events where instance = ?1")?.execute([number])?;
        self.sql("delete from events where tenant = '' and kind = 0 and position < ?1")?
            .execute([last])?;
        self.sql(
            "insert into events (position, instance, version, tenant, kind, id, happened_at, events)
                 select ?1, -?1, 0, '', 0, '', 0, '[]'
                 where ?1 > (select coalesce(max(position), 0) from events)",
        )?
        .execute([last])
        .map(drop)
    }
}

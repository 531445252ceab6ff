//! What the tables say at the moment a commit is judged.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Result, params};
use waypost_kernel::{
    Definition, DefinitionRef, Hint, Key, Kind, Receipt, Request, StoreError, TaskRef, Tenant,
    TimerRef, Timestamp, Version,
};

use super::{
    fault::fault,
    latest::Latest,
    prepared::{Lent, Prepared},
    rows,
};
use crate::check::{Facts, Hold};

/// The tables, inside the writer's transaction.
pub(super) struct Tables<'c> {
    prepared: Prepared<'c>,
    /// What this commit has asked about, so that its writes need not look again.
    seen: HashMap<Key, Option<Place>>,
    /// The work this commit has given back.
    released: Vec<Hint>,
    pub(super) latest: Latest,
}

/// Where an instance lies, its version, and when it last changed.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) number: i64,
    pub(super) version: Version,
    pub(super) updated_at: Timestamp,
}

impl<'c> Tables<'c> {
    pub(super) fn new(connection: &'c Connection) -> Self {
        Self {
            prepared: Prepared::new(connection),
            seen: HashMap::new(),
            released: Vec::new(),
            latest: Latest::default(),
        }
    }

    /// The statement `sql`, compiled.
    pub(super) fn sql(&mut self, sql: &'static str) -> Result<Lent<'_, 'c>> {
        self.prepared.get(sql)
    }

    /// Runs a statement that says nothing and takes nothing.
    pub(super) fn run(&mut self, sql: &'static str) -> Result<()> {
        self.sql(sql)?.execute([]).map(drop)
    }

    /// Forgets what the commit before this one has seen.
    pub(super) fn turn_page(&mut self) {
        self.seen.clear();
        self.released.clear();
    }

    /// Notes that there is work again.
    pub(super) fn note_released(&mut self, hint: Hint) {
        self.released.push(hint);
    }

    /// Hints at the work that was given back since the page was turned.
    pub(super) fn take_released(&mut self) -> Vec<Hint> {
        std::mem::take(&mut self.released)
    }

    /// Where the instance lies, if it exists.
    pub(super) fn place(&mut self, key: &Key) -> Result<Option<Place>> {
        if let Some(place) = self.seen.get(key) {
            return Ok(*place);
        }
        let place = self.find(key)?;
        self.seen.insert(key.clone(), place);
        Ok(place)
    }

    /// Notes where an instance lies from now on.
    pub(super) fn note(&mut self, key: &Key, place: Place) {
        self.seen.insert(key.clone(), Some(place));
    }

    fn find(&mut self, key: &Key) -> Result<Option<Place>> {
        self.sql(
            "select number, version, updated_at from instances
                 where tenant = ?1 and kind = ?2 and id = ?3",
        )?
        .query_row(params![key.tenant.as_str(), key.kind.code(), key.id.as_str()], |row| {
            Ok(Place {
                number: row.get(0)?,
                version: rows::version(row, 1)?,
                updated_at: rows::timestamp(row, 2)?,
            })
        })
        .optional()
    }

    fn find_hold(&mut self, task: &TaskRef) -> Result<Hold> {
        let key = &task.key;
        self.sql(
            "select token, worker, lease_until from tasks
                 where tenant = ?1 and kind = ?2 and id = ?3 and task = ?4",
        )?
        .query_row(
            params![key.tenant.as_str(), key.kind.code(), key.id.as_str(), task.id.as_str()],
            |row| rows::lease(row, 0).map(Hold::of),
        )
        .optional()
        .map(|it| it.unwrap_or(Hold::Absent))
    }

    fn find_due_at(&mut self, timer: &TimerRef) -> Result<Option<Timestamp>> {
        let key = &timer.key;
        self.sql(
            "select due_at from timers
                 where tenant = ?1 and kind = ?2 and id = ?3 and timer = ?4",
        )?
        .query_row(
            params![key.tenant.as_str(), key.kind.code(), key.id.as_str(), timer.id.as_str()],
            |row| rows::timestamp(row, 0),
        )
        .optional()
    }

    fn find_holder(&mut self, tenant: &Tenant, kind: Kind, unique: &str) -> Result<Option<Key>> {
        self.sql(
            "select id from instances indexed by instances_unique_key
                 where tenant = ?1 and kind = ?2 and unique_key = ?3",
        )?
        .query_row(params![tenant.as_str(), kind.code(), unique], |row| {
            Ok(Key::new(tenant.clone(), kind, rows::id(row, 0)?))
        })
        .optional()
    }

    fn find_occupant(
        &mut self,
        (tenant, kind): (&Tenant, Kind),
        definition: &DefinitionRef,
        status: &str,
    ) -> Result<bool> {
        let sql = if kind == Kind::Entity {
            "select 1 from instances indexed by instances_sift
                 where tenant = ?1 and kind = ?2 and kind = 1 and definition = ?3 and status = ?4
                   and definition_version = ?5"
        } else {
            "select 1 from instances indexed by instances_definition
                 where tenant = ?1 and kind = ?2 and definition = ?3 and status = ?4
                   and definition_version = ?5"
        };
        let DefinitionRef { name, version } = definition;
        self.sql(sql)?.exists(params![tenant.as_str(), kind.code(), name, status, version])
    }

    fn find_definition(&mut self, definition: &Definition) -> Result<bool> {
        let which = &definition.which;
        self.sql(
            "select 1 from definitions
                 where tenant = ?1 and kind = ?2 and name = ?3 and version = ?4",
        )?
        .exists(params![
            definition.tenant.as_str(),
            definition.kind.code(),
            which.name,
            which.version
        ])
    }

    fn find_request(&mut self, request: &Request) -> Result<Option<(String, Receipt)>> {
        self.sql("select digest, receipt from requests where tenant = ?1 and request = ?2")?
            .query_row(params![request.tenant.as_str(), request.id.as_str()], |row| {
                let receipt = serde_json::from_str(row.get_ref(1)?.as_str()?)
                    .map_err(|error| rows::unreadable(1, error))?;
                Ok((row.get(0)?, receipt))
            })
            .optional()
    }
}

impl Facts for Tables<'_> {
    fn version(&mut self, key: &Key) -> Result<Version, StoreError> {
        let place = self.place(key).map_err(fault)?;
        Ok(place.map_or(Version::ABSENT, |it| it.version))
    }

    fn updated_at(&mut self, key: &Key) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.place(key).map_err(fault)?.map(|it| it.updated_at))
    }

    fn hold(&mut self, task: &TaskRef) -> Result<Hold, StoreError> {
        self.find_hold(task).map_err(fault)
    }

    fn due_at(&mut self, timer: &TimerRef) -> Result<Option<Timestamp>, StoreError> {
        self.find_due_at(timer).map_err(fault)
    }

    fn holder(
        &mut self,
        tenant: &Tenant,
        kind: Kind,
        unique: &str,
    ) -> Result<Option<Key>, StoreError> {
        self.find_holder(tenant, kind, unique).map_err(fault)
    }

    fn is_occupied(
        &mut self,
        tenant: &Tenant,
        kind: Kind,
        definition: &DefinitionRef,
        status: &str,
    ) -> Result<bool, StoreError> {
        self.find_occupant((tenant, kind), definition, status).map_err(fault)
    }

    fn has_definition(&mut self, definition: &Definition) -> Result<bool, StoreError> {
        self.find_definition(definition).map_err(fault)
    }

    fn request(&mut self, request: &Request) -> Result<Option<(String, Receipt)>, StoreError> {
        self.find_request(request).map_err(fault)
    }
}

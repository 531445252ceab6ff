//! Who is there, by tenant, and who of them is asked.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use waypost_api::grpc::cloudevents::CloudEvent;
use waypost_kernel::Tenant;

use super::member::{Asking, Bounds, Member, Standing};

/// Members by tenant.
#[derive(Default)]
pub(super) struct Registry {
    inside: Mutex<Inside>,
}

#[derive(Default)]
struct Inside {
    members: HashMap<Tenant, Vec<Arc<Member>>>,
    /// How many questions were offered: members take turns by it.
    n_offers: u64,
}

/// The tags of members by tenant; those who have the same tags are told once.
pub(crate) type Tagged = BTreeMap<Tenant, BTreeSet<Vec<String>>>;

/// Who is wanted.
pub(super) struct Wanted<'a> {
    pub(super) tenant: &'a Tenant,
    /// The member has all of them.
    pub(super) tags: &'a [String],
    /// Asked only if nobody else can be.
    pub(super) avoid: &'a [String],
    pub(super) bounds: Bounds,
}

/// Why nobody is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nobody {
    /// Nobody has the tags.
    Absent,
    /// Whoever has them cannot be asked now.
    Busy,
}

impl Registry {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a member, unless its tenant has as many as it may.
    pub(super) fn add(&self, member: Arc<Member>, members_max: usize) -> Result<(), Arc<Member>> {
        let mut inside = self.inside();
        let members = inside.members.entry(member.tenant.clone()).or_default();
        if members.len() >= members_max {
            return Err(member);
        }
        members.push(member);
        Ok(())
    }

    /// Removes a member. From now on nobody can ask it.
    pub(super) fn remove(&self, member: &Arc<Member>) {
        let mut inside = self.inside();
        let Some(members) = inside.members.get_mut(&member.tenant) else { return };
        members.retain(|it| !Arc::ptr_eq(it, member));
        if members.is_empty() {
            inside.members.remove(&member.tenant);
        }
    }

    /// How those of a tenant are, or everybody, by name.
    pub(super) fn standings(&self, tenant: Option<&str>) -> Vec<Standing> {
        let inside = self.inside();
        let is_meant = |it: &Tenant| tenant.is_none_or(|tenant| it.as_str() == tenant);
        let members = inside.members.iter().filter(|(it, _)| is_meant(it));
        let mut all: Vec<Standing> =
            members.flat_map(|(_, members)| members).map(|it| it.standing()).collect();
        all.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        all
    }

    /// The tags of everybody.
    pub(super) fn tagged(&self) -> Tagged {
        let inside = self.inside();
        let sets = |members: &Vec<Arc<Member>>| members.iter().map(|it| it.tags()).collect();
        inside.members.iter().map(|(tenant, members)| (tenant.clone(), sets(members))).collect()
    }

    /// Whether somebody could be asked now.
    pub(super) fn has(&self, wanted: &Wanted<'_>) -> bool {
        let inside = self.inside();
        let members = inside.members.get(wanted.tenant).map_or(&[][..], Vec::as_slice);
        members.iter().any(|it| it.has_all(wanted.tags) && it.load(wanted.bounds).is_some())
    }

    /// Whether somebody has all the tags.
    pub(super) fn serves(&self, tenant: &Tenant, tags: &[String]) -> bool {
        let inside = self.inside();
        inside.members.get(tenant).is_some_and(|all| all.iter().any(|it| it.has_all(tags)))
    }

    /// Offers the question to whoever has the least to do; of those, to who was asked longest ago.
    /// Choosing and offering is one, so that those who ask at the same time choose differently.
    pub(super) fn offer(
        &self,
        wanted: &Wanted<'_>,
        request: String,
        event: CloudEvent,
    ) -> Result<Asking, Nobody> {
        let mut inside = self.inside();
        let members = inside.members.get(wanted.tenant).map_or(&[][..], Vec::as_slice);
        let tagged: Vec<_> = members.iter().filter(|it| it.has_all(wanted.tags)).collect();
        if tagged.is_empty() {
            return Err(Nobody::Absent);
        }
        let rank = |it: &Arc<Member>| {
            let load = it.load(wanted.bounds)?;
            Some((wanted.avoid.contains(&it.id), load))
        };
        let fit = tagged.into_iter().filter_map(|it| Some((rank(it)?, it)));
        let (_, chosen) = fit.min_by_key(|(rank, _)| *rank).ok_or(Nobody::Busy)?;
        let chosen = Arc::clone(chosen);
        inside.n_offers += 1;
        Ok(chosen.offer(request, event, inside.n_offers))
    }
}

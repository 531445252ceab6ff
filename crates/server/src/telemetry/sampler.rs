//! Which traces are exported. It can be changed while the server runs.

use std::sync::{Arc, PoisonError, RwLock};

use opentelemetry::{
    Context, KeyValue,
    trace::{Link, SpanKind, TraceContextExt as _, TraceId},
};
use opentelemetry_sdk::trace::{
    Sampler as Standard, SamplingDecision, SamplingResult, ShouldSample,
};

/// Which traces are exported.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampler {
    /// Of traces that begin here.
    pub root: Root,
    /// Whether those that began elsewhere are exported if, and only if, they are exported there.
    pub is_parent_based: bool,
}

/// Which of the traces that began nowhere else.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Root {
    /// All of them.
    Always,
    /// None.
    Never,
    /// This share, more than 0 and at most 1. It goes by the name of a trace, so that all servers
    /// with the same share export the same ones.
    Ratio(f64),
}

impl Default for Sampler {
    fn default() -> Self {
        Self { root: Root::Always, is_parent_based: true }
    }
}

impl Sampler {
    fn takes(&self, parent: Option<&Context>, trace: TraceId) -> bool {
        let parent = parent.map(|it| it.span().span_context().clone()).filter(|it| it.is_valid());
        match parent.filter(|_| self.is_parent_based) {
            Some(parent) => parent.is_sampled(),
            None => self.root.takes(trace),
        }
    }
}

impl Root {
    fn takes(self, trace: TraceId) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Ratio(ratio) => {
                let by_name = Standard::TraceIdRatioBased(ratio);
                let result = by_name.should_sample(None, trace, "", &SpanKind::Internal, &[], &[]);
                result.decision == SamplingDecision::RecordAndSample
            }
        }
    }
}

/// The sampler that is chosen now. Copies are the same one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chosen(Arc<RwLock<Sampler>>);

impl Chosen {
    pub(super) fn new(sampler: Sampler) -> Self {
        Self(Arc::new(RwLock::new(sampler)))
    }

    pub(crate) fn get(&self) -> Sampler {
        *self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set(&self, sampler: Sampler) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = sampler;
    }
}

impl ShouldSample for Chosen {
    fn should_sample(
        &self,
        parent: Option<&Context>,
        trace: TraceId,
        _: &str,
        _: &SpanKind,
        _: &[KeyValue],
        _: &[Link],
    ) -> SamplingResult {
        let decision = match self.get().takes(parent, trace) {
            true => SamplingDecision::RecordAndSample,
            false => SamplingDecision::Drop,
        };
        let state = parent.map(|it| it.span().span_context().trace_state().clone());
        let trace_state = state.unwrap_or_default();
        SamplingResult { decision, attributes: Vec::new(), trace_state }
    }
}

#[cfg(test)]
mod tests {
    use opentelemetry::trace::{SpanContext, SpanId, TraceFlags, TraceState};

    use super::*;

    /// The names of traces that a share is decided by: the smaller, the sooner.
    const LOW: TraceId = TraceId::from_bytes([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    const HIGH: TraceId = TraceId::from_bytes([u8::MAX; 16]);

    fn parent(is_sampled: bool) -> Context {
        let flags = if is_sampled { TraceFlags::SAMPLED } else { TraceFlags::default() };
        let span = SpanContext::new(
            TraceId::from(7),
            SpanId::from(7),
            flags,
            true,
            TraceState::from_key_value([("k", "v")]).unwrap(),
        );
        Context::new().with_remote_span_context(span)
    }

    fn takes(sampler: Sampler, parent: Option<&Context>, trace: TraceId) -> bool {
        let chosen = Chosen::new(sampler);
        let result = chosen.should_sample(parent, trace, "", &SpanKind::Server, &[], &[]);
        result.decision == SamplingDecision::RecordAndSample
    }

    #[test]
    fn a_trace_that_begins_here_is_decided_by_the_root() {
        for is_parent_based in [true, false] {
            for (root, low, high) in [
                (Root::Always, true, true),
                (Root::Never, false, false),
                (Root::Ratio(0.5), true, false),
                (Root::Ratio(1.0), true, true),
            ] {
                let sampler = Sampler { root, is_parent_based };
                assert_eq!(takes(sampler, None, LOW), low, "{sampler:?}");
                assert_eq!(takes(sampler, None, HIGH), high, "{sampler:?}");
                // Somebody who sends nonsense has sent nothing.
                assert_eq!(takes(sampler, Some(&Context::new()), LOW), low, "{sampler:?}");
            }
        }
    }

    #[test]
    fn a_parent_decides_only_if_it_is_asked() {
        for root in [Root::Always, Root::Never, Root::Ratio(0.5)] {
            let based = Sampler { root, is_parent_based: true };
            assert!(takes(based, Some(&parent(true)), HIGH), "{root:?}");
            assert!(!takes(based, Some(&parent(false)), LOW), "{root:?}");
            let alone = Sampler { root, is_parent_based: false };
            for is_sampled in [true, false] {
                let parent = parent(is_sampled);
                assert_eq!(takes(alone, Some(&parent), LOW), root != Root::Never, "{root:?}");
                assert_eq!(takes(alone, Some(&parent), HIGH), root == Root::Always, "{root:?}");
            }
        }
    }

    #[test]
    fn about_the_share_is_taken() {
        let root = Root::Ratio(0.25);
        let spread =
            |it: u128| TraceId::from(it.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835));
        let taken = (1..=10_000).filter(|it| root.takes(spread(*it))).count();
        assert!((2_300..=2_700).contains(&taken), "{taken}");
    }

    #[test]
    fn what_is_chosen_counts_at_once_and_for_all_copies() {
        let chosen = Chosen::default();
        let copy = chosen.clone();
        assert_eq!(copy.get(), Sampler { root: Root::Always, is_parent_based: true });
        chosen.set(Sampler { root: Root::Never, is_parent_based: true });
        assert_eq!(copy.get().root, Root::Never);
        let result = copy.should_sample(Some(&parent(true)), LOW, "", &SpanKind::Server, &[], &[]);
        assert_eq!(result.trace_state.get("k"), Some("v"));
    }
}

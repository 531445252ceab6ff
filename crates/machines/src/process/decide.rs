//! What a process does about a command.

use std::sync::Arc;

use waypost_kernel::{ClaimId, NewTask, Note, Rejection, RejectionCode as Code, Turn, WorkerId};

use super::{
    Command, Event, Path, Phase, Process, Rest, Start, State, Stay, StepType, Variables,
    advance::{
        drop_work, drop_work_of, enter, enter_all, exit_of, fail, fail_at, forget_forks, leave,
        schedule, shortened,
    },
    graph::Work,
    limits,
    types::task_id,
    variables::{merge, merge_deeply, normalize, problem},
};

/// Why a step that a timer has ended counts as failed.
pub(super) const INTERRUPTED: &str = "interrupted by boundary timer";

type Decision = Result<(), Rejection>;

pub(super) fn decide(turn: &mut Turn<'_, Process>, command: Command) -> Decision {
    match turn.state().phase {
        Phase::Absent => be_born(turn, command)?,
        Phase::Running | Phase::Completed | Phase::Failed | Phase::Canceled => act(turn, command)?,
    }
    if turn.state().phase == Phase::Running {
        forget_forks(turn);
        fail_if_stuck(turn);
    }
    Ok(())
}

fn be_born(turn: &mut Turn<'_, Process>, command: Command) -> Decision {
    match command {
        Command::Start(start) => begin(turn, start),
        Command::Asked { note, command } => {
            be_born(turn, *command)?;
            keep(turn, note);
            Ok(())
        }
        Command::Complete { .. }
        | Command::Fail { .. }
        | Command::Lapse { .. }
        | Command::CompleteUserTask { .. }
        | Command::Signal { .. }
        | Command::Fire { .. }
        | Command::Retry { .. }
        | Command::Cancel { .. } => refuse(Code::InstanceNotFound, "workflow instance not found"),
    }
}

fn act(turn: &mut Turn<'_, Process>, command: Command) -> Decision {
    match command {
        Command::Start(_) => refuse(Code::InstanceExists, "the instance has started already"),
        Command::Complete { task, worker, output } => complete(turn, task, worker, output),
        Command::Fail { task, worker, error, retryable } => {
            give_up(turn, (task, worker), error.unwrap_or_default(), retryable)
        }
        Command::Lapse { task, token } => lapse(turn, task, token),
        Command::CompleteUserTask { step, output } => complete_user_task(turn, &step, output),
        Command::Signal { step, output } => signal(turn, &step, output),
        Command::Fire { visit, timer } => fire(turn, visit, timer),
        Command::Retry { step, patch } => retry(turn, &step, patch),
        Command::Cancel { reason } => cancel(turn, reason),
        Command::Asked { note, command } => {
            act(turn, *command)?;
            keep(turn, note);
            Ok(())
        }
    }
}

/// What somebody said about what has happened. Of what has not happened there is nothing to tell.
fn keep(turn: &mut Turn<'_, Process>, note: Note) {
    if !note.is_empty() && !turn.is_quiet() {
        turn.emit(Event::Asked(note));
    }
}

fn begin(turn: &mut Turn<'_, Process>, start: Start) -> Decision {
    let Start { business_key, mut variables, parent, at } = start;
    let business_key = business_key.filter(|it| !it.is_empty());
    if let Some(key) = &business_key
        && (key.chars().count() > limits::ID_MAX || key.chars().any(char::is_control))
    {
        let most = limits::ID_MAX;
        let detail =
            format!("businessKey must have at most {most} characters, and no control characters");
        return refuse(Code::FieldInvalid, detail);
    }
    variables.values_mut().for_each(normalize);
    fits(&variables)?;
    if let Some(violation) =
        turn.definition().input.as_ref().and_then(|it| it.violation(&variables))
    {
        return refuse(Code::SchemaViolated, violation);
    }
    let definition = turn.definition().which.clone();
    turn.emit(Event::Started { definition, business_key, parent, variables, at });
    let entry = Arc::clone(&turn.definition().entry().id);
    enter(turn, entry, None);
    Ok(())
}

/// A report about a task that is not open is late, and has no effect; nobody is to blame.
fn complete(
    turn: &mut Turn<'_, Process>,
    task: u32,
    worker: WorkerId,
    output: Variables,
) -> Decision {
    let Some(stay) = open_task(turn, task)? else { return Ok(()) };
    let output = taken_over(turn, output, true)?;
    turn.expect_open(&task_id(task), worker.clone());
    let graph = turn.definition();
    let Some(step) = graph.step(&stay.step) else { return Ok(()) };
    let Work::Service { outputs, exit, .. } = &step.work else { return Ok(()) };
    match outputs.as_ref().and_then(|it| it.violation(&output)) {
        Some(violation) => fail_at(turn, (&stay, Some(worker)), violation),
        None => leave(turn, (&stay, Some(worker)), exit, (output, true)),
    }
    Ok(())
}

fn give_up(
    turn: &mut Turn<'_, Process>,
    (task, worker): (u32, WorkerId),
    error: String,
    retryable: bool,
) -> Decision {
    let Some(stay) = open_task(turn, task)? else { return Ok(()) };
    turn.expect_open(&task_id(task), worker.clone());
    let error = if error.trim().is_empty() { "job failed".to_owned() } else { shortened(&error) };
    let by = Some(worker);
    match stay.rest {
        Rest::Task { retries: 1.., .. } if retryable => {
            let (visit, next) = (stay.visit, turn.state().last + 1);
            turn.emit(Event::Retried { visit, task: next, error, by });
            offer_again(turn, &stay, task, next);
        }
        Rest::Task { .. } | Rest::User | Rest::Signal | Rest::Join { .. } | Rest::Failed => {
            fail_at(turn, (&stay, by), error);
        }
    }
    Ok(())
}

fn lapse(turn: &mut Turn<'_, Process>, task: u32, token: ClaimId) -> Decision {
    let Some(stay) = open_task(turn, task)? else { return Ok(()) };
    turn.expect_lapsed(&task_id(task), token);
    let (visit, next) = (stay.visit, turn.state().last + 1);
    turn.emit(Event::Lapsed { visit, task: next });
    offer_again(turn, &stay, task, next);
    Ok(())
}

/// Every delivery has a number of its own, so that a late report is known for what it is.
fn offer_again(turn: &mut Turn<'_, Process>, stay: &Stay, task: u32, next: u32) {
    turn.withdraw(task_id(task));
    if let Some(Work::Service { queue, .. }) = turn.definition().step(&stay.step).map(|it| &it.work)
    {
        schedule(turn, next, queue);
    }
}

fn open_task(turn: &Turn<'_, Process>, task: u32) -> Result<Option<Stay>, Rejection> {
    let state = turn.state();
    if task == 0 || task > state.last {
        return Err(Rejection::new(Code::TaskNotFound, "job not found"));
    }
    let is_open = state.phase == Phase::Running;
    Ok(state.stay_of_task(task).filter(|_| is_open).cloned())
}

fn complete_user_task(turn: &mut Turn<'_, Process>, step: &str, output: Variables) -> Decision {
    let not_found = || Rejection::new(Code::TaskNotFound, "user task not found");
    let Some(found) = turn.definition().step(step) else { return Err(not_found()) };
    of_type(found, StepType::UserTask)?;
    under_way(turn)?;
    let stay = rest_at(turn, step, &Rest::User).ok_or_else(not_found)?;
    move_on(turn, &stay, output)
}

fn signal(turn: &mut Turn<'_, Process>, step: &str, output: Variables) -> Decision {
    let not_parked = || {
        let detail = "wait step is not currently parked on the instance";
        Rejection::new(Code::SignalNotAwaited, detail)
    };
    let Some(found) = turn.definition().step(step) else { return Err(not_parked()) };
    of_type(found, StepType::Wait)?;
    under_way(turn)?;
    let stay = rest_at(turn, step, &Rest::Signal).ok_or_else(not_parked)?;
    move_on(turn, &stay, output)
}

fn of_type(step: &super::Step, wanted: StepType) -> Decision {
    if step.step_type() == wanted {
        return Ok(());
    }
    refuse(Code::StepTypeMismatch, "step type does not match the endpoint")
}

fn under_way(turn: &Turn<'_, Process>) -> Decision {
    if turn.state().phase == Phase::Running {
        return Ok(());
    }
    refuse(Code::InstanceEnded, "instance is in a terminal state")
}

fn rest_at(turn: &Turn<'_, Process>, step: &str, rest: &Rest) -> Option<Stay> {
    turn.state().stays.iter().find(|it| *it.step == *step && it.rest == *rest).cloned()
}

fn move_on(turn: &mut Turn<'_, Process>, stay: &Stay, output: Variables) -> Decision {
    let output = taken_over(turn, output, false)?;
    if let Some(exit) = exit_of(turn.definition(), stay) {
        leave(turn, (stay, None), exit, (output, false));
    }
    Ok(())
}

/// What came back, if there is room for it.
fn taken_over(
    turn: &Turn<'_, Process>,
    mut output: Variables,
    deeply: bool,
) -> Result<Variables, Rejection> {
    if output.is_empty() {
        return Ok(output);
    }
    output.values_mut().for_each(normalize);
    fits(&output)?;
    let mut all = (*turn.state().variables).clone();
    match deeply {
        true => merge_deeply(&mut all, &output),
        false => merge(&mut all, &output),
    }
    fits(&all)?;
    Ok(output)
}

fn fits(variables: &Variables) -> Decision {
    problem(variables).map_or(Ok(()), |problem| refuse(Code::FieldInvalid, problem))
}

/// A timer that comes too late has no effect.
fn fire(turn: &mut Turn<'_, Process>, visit: u32, timer: usize) -> Decision {
    let state = turn.state();
    let rests = |it: &&Stay| it.visit == visit && it.rest != Rest::Failed;
    let Some(stay) = state.stays.iter().find(rests).cloned() else { return Ok(()) };
    let graph = turn.definition();
    let boundary = graph.step(&stay.step).and_then(|it| it.timers.get(timer));
    let Some(boundary) = boundary.filter(|_| state.phase == Phase::Running) else { return Ok(()) };
    turn.emit(Event::Fired { visit, timer });
    if boundary.interrupting {
        drop_work_of(turn, &stay);
        turn.emit(Event::Interrupted { visit });
    }
    enter(turn, Arc::clone(&boundary.target), stay.branch);
    Ok(())
}

fn retry(turn: &mut Turn<'_, Process>, step: &str, patch: Variables) -> Decision {
    let state = turn.state();
    if state.phase != Phase::Failed {
        let detail = "instance is not FAILED; manual retry only applies to FAILED instances";
        return refuse(Code::InstanceNotFailed, detail);
    }
    let Some(path) = failed_path(state, step) else {
        return refuse(Code::StepNotRetryable, "step is not in a retryable state");
    };
    let patch = taken_over(turn, patch, false)?;
    revive(turn);
    let mut paths = turn.state().pending.clone();
    let step = Arc::clone(&path.step);
    paths.push(path);
    turn.emit(Event::Resumed { step, patch });
    enter_all(turn, paths);
    Ok(())
}

/// The path that has failed at a step: one that rests there still, or the latest that came there.
fn failed_path(state: &State, step: &str) -> Option<Path> {
    let rests = state.failed_at(step).and_then(|at| state.stays.get(at));
    let rests = rests.map(|it| Path { step: Arc::clone(&it.step), branch: it.branch });
    rests.or_else(|| {
        let (step, visits) = state.visits.get_key_value(step)?;
        visits.failed.then(|| Path { step: Arc::clone(step), branch: visits.branch })
    })
}

/// What failed before another step was tried again is out of reach while the instance is under way:
/// when all that could go on has done so, it has failed again.
fn fail_if_stuck(turn: &mut Turn<'_, Process>) {
    let is_stuck = |it: &Stay| matches!(it.rest, Rest::Failed | Rest::Join { .. });
    let stays = &turn.state().stays;
    let failed = stays.iter().find(|it| it.rest == Rest::Failed);
    if let Some(failed) = failed.filter(|_| stays.iter().all(is_stuck)) {
        let reason = format!("step \"{}\" has failed and nothing else can go on", failed.step);
        fail(turn, reason, Vec::new());
    }
}

/// Tasks of other branches can be taken again; who was at one when the instance failed still is.
fn revive(turn: &mut Turn<'_, Process>) {
    let (graph, now) = (turn.definition(), turn.now());
    for stay in turn.state().stays.clone() {
        let Rest::Task { number, held, .. } = stay.rest else { continue };
        let work = graph.step(&stay.step).map(|it| &it.work);
        let Some(Work::Service { queue, .. }) = work else { continue };
        let (id, family, queue) = (task_id(number), graph.which.name.clone(), queue.clone());
        turn.schedule(NewTask { id, family, queue, ready_at: now, lease: held });
    }
}

fn cancel(turn: &mut Turn<'_, Process>, reason: Option<String>) -> Decision {
    under_way(turn)?;
    drop_work(turn);
    let (at, reason) = (turn.now(), shortened(&reason.unwrap_or_default()));
    turn.emit(Event::Canceled { at, reason });
    Ok(())
}

fn refuse(code: Code, detail: impl Into<String>) -> Decision {
    Err(Rejection::new(code, detail))
}

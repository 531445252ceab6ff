//! Connections that are lent for one statement at a time.

use std::time::Duration;

use deadpool_postgres::{
    Hook, HookError, Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime,
    TimeoutType,
};
use tokio_postgres::{Row, types::ToSql};
use waypost_kernel::StoreError;

use super::{
    dial::{CONNECT_MAX, Dialer, vet},
    fault::{fault, is_lost, unreachable},
    session::{FORGET_PLANS, PLAN_USES, arrange},
};

/// How long somebody waits for a connection before there are too many who do.
const WAIT_MAX: Duration = Duration::from_secs(5);

/// A few connections of one kind.
pub(super) struct Connections {
    pool: Pool,
    address: String,
}

impl Connections {
    /// At most `size` of them, opened when they are needed, each with these settings.
    pub(super) fn new(
        dialer: &Dialer,
        size: usize,
        settings: &'static [&'static str],
    ) -> Result<Self, StoreError> {
        let config = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_config(dialer.config.clone(), dialer.tls.clone(), config);
        let prepare = Hook::async_fn(move |client: &mut deadpool_postgres::ClientWrapper, _| {
            Box::pin(async move {
                vet(client).await.map_err(|error| HookError::message(text(error)))?;
                arrange(client, settings).await;
                Ok(())
            })
        });
        let renew = Hook::async_fn(|client: &mut deadpool_postgres::ClientWrapper, metrics| {
            let is_old = metrics.recycle_count % PLAN_USES == PLAN_USES - 1;
            Box::pin(async move {
                match is_old {
                    true => client.batch_execute(FORGET_PLANS).await.map_err(HookError::Backend),
                    false => Ok(()),
                }
            })
        });
        let pool = Pool::builder(manager)
            .max_size(size.max(1))
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(WAIT_MAX))
            .create_timeout(Some(2 * CONNECT_MAX))
            .post_create(prepare)
            .pre_recycle(renew)
            .build()
            .map_err(|error| StoreError::Unavailable(error.to_string()))?;
        Ok(Self { pool, address: dialer.address.clone() })
    }

    /// Asks a question that changes nothing, and once more if the connection breaks.
    pub(super) async fn read(
        &self,
        sql: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, StoreError> {
        match self.ask(sql, parameters).await? {
            Err(error) if is_lost(&error) => self.ask(sql, parameters).await?,
            answer => answer,
        }
        .map_err(fault)
    }

    /// Runs a statement that changes something by itself.
    pub(super) async fn write(
        &self,
        sql: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, StoreError> {
        self.ask(sql, parameters).await?.map_err(|error| {
            if is_lost(&error) && error.as_db_error().is_none() {
                StoreError::Unknown("the connection to PostgreSQL broke meanwhile".to_owned())
            } else {
                fault(error)
            }
        })
    }

    async fn ask(
        &self,
        sql: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Result<Vec<Row>, tokio_postgres::Error>, StoreError> {
        let client = self.lend().await?;
        Ok(match client.prepare_cached(sql).await {
            Ok(statement) => client.query(&statement, parameters).await,
            Err(error) => Err(error),
        })
    }

    async fn lend(&self) -> Result<Object, StoreError> {
        self.pool.get().await.map_err(|error| match error {
            PoolError::Timeout(TimeoutType::Wait) => StoreError::Busy,
            PoolError::Backend(error) => unreachable(&error, &self.address),
            PoolError::PostCreateHook(HookError::Message(text)) => {
                StoreError::Unavailable(text.into_owned())
            }
            PoolError::PostCreateHook(HookError::Backend(error)) => fault(error),
            PoolError::Timeout(TimeoutType::Create | TimeoutType::Recycle)
            | PoolError::Closed
            | PoolError::NoRuntimeSpecified => StoreError::Unavailable(format!(
                "PostgreSQL at {} does not answer; check the address and the network",
                self.address
            )),
        })
    }
}

/// What is wrong, without saying twice that the store is unavailable.
fn text(error: StoreError) -> String {
    if let StoreError::Unavailable(text) = error { text } else { error.to_string() }
}

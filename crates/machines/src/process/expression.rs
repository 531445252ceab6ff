//! stub
use serde_json::{Map, Value};
#[derive(Clone, Copy, Debug, Default)] pub enum Coercion { #[default] On, Off }
#[derive(Clone, Copy, Debug, Default)] pub struct Limits;
#[derive(Clone, Debug)] pub struct ExpressionError;
impl std::fmt::Display for ExpressionError { fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str("stub") } }
#[derive(Clone, Debug)] pub struct Compiled;
impl Compiled { pub fn parse(_: &str, _: Limits) -> Result<Self, ExpressionError> { Ok(Self) } pub fn evaluate(&self, _: &Map<String, Value>, _: Coercion) -> Result<Value, ExpressionError> { Err(ExpressionError) } pub fn source(&self) -> &str { "" } }
#[derive(Clone, Debug)] pub enum Assignment { Literal(Value), Now, Expression(Compiled), Broken { source: String, error: ExpressionError } }
impl Assignment { pub fn parse(v: &Value, _: Limits) -> Self { Self::Literal(v.clone()) } }

//! The names that serde writes.

use syn::{Attribute, Ident, LitStr, Result, Token, meta::ParseNestedMeta};

/// What serde is told about a struct or a field, as far as it matters here.
#[derive(Default)]
pub(crate) struct Serde {
    pub(crate) rename: Option<String>,
    pub(crate) rename_all: Option<String>,
    pub(crate) is_skipped: bool,
    /// Whether its members are those of the struct, and it is none itself.
    pub(crate) is_flat: bool,
    /// Whether a function of the program's writes or reads the field.
    pub(crate) is_custom: bool,
}

impl Serde {
    pub(crate) fn of(attributes: &[Attribute]) -> Result<Self> {
        let mut serde = Self::default();
        for attribute in attributes.iter().filter(|it| it.path().is_ident("serde")) {
            attribute.parse_nested_meta(|meta| serde.take(&meta))?;
        }
        Ok(serde)
    }

    fn take(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        if meta.path.is_ident("rename") {
            self.rename = serialized(meta)?;
        } else if meta.path.is_ident("rename_all") {
            self.rename_all = serialized(meta)?;
        } else {
            let half = ["skip_serializing", "skip_deserializing"];
            let is_half = half.iter().any(|it| meta.path.is_ident(it));
            self.is_skipped |= is_half || meta.path.is_ident("skip");
            self.is_flat |= meta.path.is_ident("flatten");
            let custom = ["with", "serialize_with", "deserialize_with"];
            self.is_custom |= custom.iter().any(|it| meta.path.is_ident(it));
            pass_over(meta)?;
        }
        Ok(())
    }

    /// The name that a field has on the wire, in a struct with these rules.
    pub(crate) fn name(&self, field: &Ident, rules: &Self) -> String {
        let plain = field.to_string();
        let plain = plain.strip_prefix("r#").unwrap_or(&plain);
        match (&self.rename, &rules.rename_all) {
            (Some(name), _) => name.clone(),
            (None, Some(rule)) => renamed(plain, rule),
            (None, None) => plain.to_owned(),
        }
    }
}

/// `= "name"`, or the part of `(serialize = "name", deserialize = "name")` that is written.
fn serialized(meta: &ParseNestedMeta<'_>) -> Result<Option<String>> {
    if meta.input.peek(Token![=]) {
        return Ok(Some(meta.value()?.parse::<LitStr>()?.value()));
    }
    let mut name = None;
    meta.parse_nested_meta(|part| {
        let text = part.value()?.parse::<LitStr>()?.value();
        if part.path.is_ident("serialize") {
            name = Some(text);
        }
        Ok(())
    })?;
    Ok(name)
}

/// Reads over what does not concern us.
fn pass_over(meta: &ParseNestedMeta<'_>) -> Result<()> {
    if meta.input.peek(Token![=]) {
        meta.value()?.parse::<syn::Expr>()?;
    } else if meta.input.peek(syn::token::Paren) {
        meta.parse_nested_meta(|part| pass_over(&part))?;
    }
    Ok(())
}

/// A field's name by one of serde's rules.
fn renamed(field: &str, rule: &str) -> String {
    let words = || field.split('_').filter(|it| !it.is_empty());
    match rule {
        "UPPERCASE" | "SCREAMING_SNAKE_CASE" => field.to_uppercase(),
        "PascalCase" => words().map(capitalized).collect(),
        "camelCase" => {
            let pascal: String = words().map(capitalized).collect();
            let mut letters = pascal.chars();
            letters
                .next()
                .map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
        }
        "kebab-case" => field.replace('_', "-"),
        "SCREAMING-KEBAB-CASE" => field.to_uppercase().replace('_', "-"),
        _ => field.to_owned(),
    }
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// `InPrint` as `in_print`.
pub(crate) fn snake(case: &str) -> String {
    let mut snake = String::new();
    for letter in case.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::{renamed, snake};

    #[test]
    fn names_follow_serdes_rules() {
        for (rule, name) in [
            ("lowercase", "owner_org_id"),
            ("snake_case", "owner_org_id"),
            ("UPPERCASE", "OWNER_ORG_ID"),
            ("PascalCase", "OwnerOrgId"),
            ("camelCase", "ownerOrgId"),
            ("kebab-case", "owner-org-id"),
            ("SCREAMING-KEBAB-CASE", "OWNER-ORG-ID"),
        ] {
            assert_eq!(renamed("owner_org_id", rule), name, "{rule}");
        }
        assert_eq!(snake("InPrint"), "in_print");
    }
}

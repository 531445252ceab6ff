//! Regular expressions as RE2 has them, which is what those who write conditions know, written as
//! those we run: there classes are of all scripts, sets have operators, and escapes other meanings.

/// How often something may be repeated.
const REPETITIONS_MAX: u32 = 1_000;

/// Classes that have a name inside of others.
const POSIX: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
    "space", "upper", "word", "xdigit",
];

const UNCLOSED_CLASS: &str = "unclosed character class";
const UNKNOWN_ESCAPE: &str = "unrecognized escape sequence";
const UNFINISHED: &str = "incomplete escape sequence, reached end of pattern prematurely";

/// The same expression as we write it, or what is wrong with it. Whether groups are closed and there
/// is something to repeat is left to whoever reads it.
pub(super) fn translated(pattern: &str) -> Result<String, &'static str> {
    let mut translation = Translation { rest: pattern, written: String::new() };
    let mut was_repeated = false;
    while let Some(next) = translation.next() {
        let is_repeated = match next {
            '*' | '+' | '?' => translation.write(next),
            '{' => translation.count()?,
            _ => translation.one(next).map(|()| false)?,
        };
        if is_repeated && was_repeated {
            return Err("a repetition cannot be repeated");
        }
        if is_repeated && translation.take('?') {
            translation.written.push('?');
        }
        was_repeated = is_repeated;
    }
    Ok(translation.written)
}

struct Translation<'a> {
    rest: &'a str,
    written: String,
}

impl<'a> Translation<'a> {
    fn next(&mut self) -> Option<char> {
        let mut rest = self.rest.chars();
        let next = rest.next();
        self.rest = rest.as_str();
        next
    }

    fn take(&mut self, wanted: char) -> bool {
        let rest = self.rest.strip_prefix(wanted);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// What comes before `end`, which is passed over.
    fn until(&mut self, end: &str) -> Option<&'a str> {
        let (before, rest) = self.rest.split_once(end)?;
        self.rest = rest;
        Some(before)
    }

    fn write(&mut self, repetition: char) -> bool {
        self.written.push(repetition);
        true
    }

    fn literal(&mut self, character: char) {
        if regex_syntax::is_meta_character(character) {
            self.written.push('\\');
        }
        self.written.push(character);
    }

    /// Anything that can be repeated, and what is around it.
    fn one(&mut self, next: char) -> Result<(), &'static str> {
        match next {
            '\\' => return self.escape(),
            '[' => return self.class(),
            '(' => return self.group(),
            '.' | '^' | '$' | '|' | ')' => self.written.push(next),
            other => self.literal(other),
        }
        Ok(())
    }

    /// How often, or a brace that says nothing and stands for itself.
    fn count(&mut self) -> Result<bool, &'static str> {
        let is_number = |it: &str| {
            let is_short = it == "0" || !it.starts_with('0');
            is_short && !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit())
        };
        let counted = self.rest.split_once('}').filter(|(inner, _)| match inner.split_once(',') {
            Some((least, most)) => is_number(least) && (most.is_empty() || is_number(most)),
            None => is_number(inner),
        });
        let Some((inner, rest)) = counted else {
            self.literal('{');
            return Ok(false);
        };
        let is_too_often = |it: &str| it.parse::<u32>().map_or(true, |it| it > REPETITIONS_MAX);
        if inner.split(',').any(|it| !it.is_empty() && is_too_often(it)) {
            return Err("something is repeated at most 1000 times");
        }
        self.written.extend(["{", inner, "}"]);
        self.rest = rest;
        Ok(true)
    }

    fn escape(&mut self) -> Result<(), &'static str> {
        let kind = self.next().ok_or(UNFINISHED)?;
        match kind {
            'A' => self.written.push_str(r"\A"),
            'z' => self.written.push_str(r"\z"),
            'b' => self.written.push_str(r"(?-u:\b)"),
            'B' => self.written.push_str(r"(?-u:\B)"),
            'p' | 'P' => return self.property(kind),
            'Q' => {
                let quoted = self.until(r"\E").unwrap_or_else(|| std::mem::take(&mut self.rest));
                quoted.chars().for_each(|it| self.literal(it));
            }
            other => match kept(other) {
                Some(class) => self.written.push_str(class),
                None => {
                    let character = self.character(other)?;
                    self.literal(character);
                }
            },
        }
        Ok(())
    }

    /// The character that an escape stands for.
    fn character(&mut self, kind: char) -> Result<char, &'static str> {
        Ok(match kind {
            'a' => '\x07',
            'f' => '\x0c',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\x0b',
            '0'..='7' => return self.octal(kind),
            'x' => return self.hexadecimal(),
            other if other.is_ascii() && !other.is_ascii_alphanumeric() => other,
            _ => return Err(UNKNOWN_ESCAPE),
        })
    }

    fn octal(&mut self, first: char) -> Result<char, &'static str> {
        let more = self.rest.bytes().take(2).take_while(|it| (b'0'..=b'7').contains(it)).count();
        if first != '0' && more == 0 {
            return Err("backreferences are not supported");
        }
        let (digits, rest) = self.rest.split_at(more);
        self.rest = rest;
        coded(&format!("{first}{digits}"), 8)
    }

    fn hexadecimal(&mut self) -> Result<char, &'static str> {
        let digits = match self.take('{') {
            true => self.until("}").ok_or(UNFINISHED)?,
            false => {
                let (digits, rest) = self.rest.split_at_checked(2).ok_or(UNFINISHED)?;
                self.rest = rest;
                digits
            }
        };
        coded(digits, 16)
    }

    /// A category or a script. Names of two letters are those of categories, but for one.
    fn property(&mut self, kind: char) -> Result<(), &'static str> {
        let name = match self.take('{') {
            true => self.until("}").ok_or(UNFINISHED)?,
            false => {
                let length = self.rest.chars().next().ok_or(UNFINISHED)?.len_utf8();
                let (name, rest) = self.rest.split_at(length);
                self.rest = rest;
                name
            }
        };
        let (name, is_negated) = match name.strip_prefix('^') {
            Some(name) => (name, kind == 'p'),
            None => (name, kind == 'P'),
        };
        if !is_word(name) {
            return Err("Unicode property not found");
        }
        let of = match name {
            "Any" => "",
            "Yi" => "sc=",
            short if short.len() <= 2 => "gc=",
            _ => "sc=",
        };
        self.written.extend([if is_negated { r"\P{" } else { r"\p{" }, of, name, "}"]);
        Ok(())
    }

    fn class(&mut self) -> Result<(), &'static str> {
        self.written.push('[');
        if self.take('^') {
            self.written.push('^');
        }
        let mut is_first = true;
        loop {
            match self.next().ok_or(UNCLOSED_CLASS)? {
                ']' if !is_first => break,
                next => self.member(next)?,
            }
            is_first = false;
        }
        self.written.push(']');
        Ok(())
    }

    fn member(&mut self, next: char) -> Result<(), &'static str> {
        let after = self.rest.chars().next();
        match (next, after) {
            ('[', Some(':')) if self.rest.get(1..).is_some_and(|it| it.contains(":]")) => {
                let name = self.until(":]").unwrap_or_default();
                // Ours take one that they do not know for a set of letters.
                let bare = name.trim_start_matches(':');
                if !POSIX.contains(&bare.strip_prefix('^').unwrap_or(bare)) {
                    return Err("unrecognized character class");
                }
                self.written.extend(["[", name, ":]"]);
                Ok(())
            }
            ('\\', Some(kind @ ('p' | 'P'))) => {
                self.next();
                self.property(kind)
            }
            ('\\', Some(kind)) if kept(kind).is_some() => {
                self.next();
                self.written.push_str(kept(kind).unwrap_or_default());
                Ok(())
            }
            (_, _) => self.range(next),
        }
    }

    /// One character of a class, or all between two. Written as numbers none has another meaning.
    fn range(&mut self, next: char) -> Result<(), &'static str> {
        let low = self.bound(next)?;
        let mut after = self.rest.chars();
        let is_range = after.next() == Some('-') && after.next().is_some_and(|it| it != ']');
        let high = match is_range {
            true => {
                self.take('-');
                let next = self.next().ok_or(UNCLOSED_CLASS)?;
                self.bound(next)?
            }
            false => low,
        };
        if high < low {
            return Err("invalid character class range, the start must be <= the end");
        }
        let written = format!(r"\x{{{:x}}}-\x{{{:x}}}", u32::from(low), u32::from(high));
        self.written.push_str(&written);
        Ok(())
    }

    fn bound(&mut self, next: char) -> Result<char, &'static str> {
        match next {
            '\\' => {
                let kind = self.next().ok_or(UNFINISHED)?;
                self.character(kind)
            }
            other => Ok(other),
        }
    }

    /// The beginning of a group; how it is matched, or what it is called.
    fn group(&mut self) -> Result<(), &'static str> {
        if !self.take('?') {
            self.written.push('(');
            return Ok(());
        }
        let is_looking = ["=", "!", "<=", "<!"].iter().any(|it| self.rest.starts_with(it));
        if is_looking {
            return Err("look-around, including look-ahead and look-behind, is not supported");
        }
        if let Some(rest) = self.rest.strip_prefix("P<").or_else(|| self.rest.strip_prefix('<')) {
            self.rest = rest;
            let name = self.until(">").filter(|it| is_word(it)).ok_or("invalid capture name")?;
            // Ours do not begin with a digit.
            self.written.extend(["(?P<_", name, ">"]);
            return Ok(());
        }
        let end = self.rest.find([':', ')']).ok_or("unclosed group")?;
        let (flags, rest) = self.rest.split_at(end);
        if !flags.chars().all(|it| "imsU-".contains(it)) {
            return Err("unrecognized flag");
        }
        let (end, rest) = rest.split_at(1);
        // What changes nothing is there for RE2, and not for us.
        if (flags, end) != ("", ")") {
            self.written.extend(["(?", flags, end]);
        }
        self.rest = rest;
        Ok(())
    }
}

/// The classes that have one letter, of ASCII alone.
const fn kept(kind: char) -> Option<&'static str> {
    match kind {
        'd' => Some("[0-9]"),
        'D' => Some("[^0-9]"),
        's' => Some(r"[\t\n\x0C\r ]"),
        'S' => Some(r"[^\t\n\x0C\r ]"),
        'w' => Some("[0-9A-Za-z_]"),
        'W' => Some("[^0-9A-Za-z_]"),
        _ => None,
    }
}

fn coded(digits: &str, radix: u32) -> Result<char, &'static str> {
    let is_plain = !digits.is_empty() && digits.chars().all(|it| it.is_digit(radix));
    let code = u32::from_str_radix(digits, radix).ok().filter(|_| is_plain);
    code.and_then(char::from_u32).ok_or("not the number of a character")
}

fn is_word(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_')
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::translated;

    fn run(pattern: &str) -> Result<Regex, String> {
        let translated = translated(pattern).map_err(str::to_owned)?;
        regex_syntax::parse(&translated).map_err(|it| it.to_string())?;
        Regex::new(&format!(r"\A(?:{translated})\z")).map_err(|it| it.to_string())
    }

    #[test]
    fn expressions_mean_what_they_mean_to_re2() {
        for (pattern, yes, no) in [
            (r"\d+", &["0", "42"][..], &["٣", "४२", "a"][..]),
            (r"\D", &["٣", "a"], &["3"]),
            (r"\w+", &["az_09AZ"], &["é", "Ł", "-", "ⓐ"]),
            (r"\W", &["é", "-"], &["a", "_"]),
            (r"\s+", &["\t\n\x0c\r "], &["\u{a0}", "\x0b", "\u{2003}"]),
            (r"\S", &["\u{a0}", "\x0b", "a"], &[" ", "\n"]),
            (r"a\b.*", &["a", "aé", "a b"], &["ab", "a_"]),
            (r"a\B.*", &["ab", "a1"], &["a", "aé"]),
            (r"[\d\s]+", &["1 2"], &["٣", "a"]),
            (r"[^\d]", &["٣", "a"], &["3"]),
            (r"[\D5]", &["a", "5"], &["4"]),
            (r"[^\W]", &["a", "_"], &["é", " "]),
            (r"(?i)straße", &["STRAßE"], &["strasse"]),
            (r"(?i)\w", &["ſ", "K"], &["é"]),
            (r"\Qa.b*\E+", &["a.b*", "a.b**"], &["axb", "a.b"]),
            (r"\Q[(\d", &[r"[(\d"], &["[(1"]),
            (r"\Q\E", &[""], &["a"]),
            ("[a&&b]+", &["a", "&", "b"], &["c"]),
            ("[a-c&&b-d]+", &["a", "d", "&"], &["e"]),
            ("[!--b]+", &["!", "+", "-", "b"], &["c"]),
            ("[+--]+", &["+,-"], &["*", "."]),
            ("[a~~b]+", &["a", "~"], &["c"]),
            ("[a[b]+", &["a", "[", "b"], &["]"]),
            ("[[a]]", &["a]", "[]"], &["a"]),
            ("[[:alpha:]_]+", &["aZ_"], &["é", "1", ":"]),
            ("[[:^alpha:]]", &["1", "é"], &["a"]),
            ("[[:alpha]+", &["[:alph"], &["z"]),
            ("[]a]+", &["]", "a"], &["b"]),
            ("[^]a]", &["b"], &["]", "a"]),
            ("[a-]+", &["a-"], &["b"]),
            (r"[\d-z]+", &["1-z"], &["y"]),
            (r"[\]\\\-\^]+", &[r"]\-^"], &["a"]),
            (r"[\n\x41\x{1F600}\101]+", &["\nA😀"], &["x"]),
            (r"\x41\x{42}\103\0", &["ABC\0"], &["ABC"]),
            (r"\a\f\v\t", &["\x07\x0c\x0b\t"], &[""]),
            (r"\<a\>\_\-\ ", &["<a>_- "], &["a"]),
            ("a{2}b{1,}c{0,1}", &["aab", "aabbc"], &["ab"]),
            ("a{,2}{x}{{01}]}", &["a{,2}{x}{{01}]}"], &["aa"]),
            (r"\b{start}", &[], &["start", "{start}"]),
            (r"\pL\p{Greek}\p{^Lu}\P{Nd}", &["aΩb_"], &["aaBc", "aΩB_"]),
            (r"[\p{Yi}\PL]+", &["ꀀ1"], &["a"]),
            (r"\p{Any}", &["😀"], &[""]),
            ("(?P<1st>a)(?<b>b)(?:c)(?)(?i:D)(?s-i:.)", &["abcd\n"], &["abCd."]),
            ("a.c|(?s)d.f", &["abc", "d\nf"], &["a\nc"]),
            ("a*?b+?c??", &["aab", "bc"], &["a"]),
            ("^a$", &["a"], &["a\n"]),
            ("# a b", &["# a b"], &["ab"]),
        ] {
            let regex = run(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
            yes.iter().for_each(|text| assert!(regex.is_match(text), "{pattern} {text:?}"));
            no.iter().for_each(|text| assert!(!regex.is_match(text), "{pattern} {text:?}"));
        }
    }

    #[test]
    fn what_re2_does_not_have_is_refused() {
        for pattern in [
            "(?x)a",
            "(?u)a",
            "(?-u:a)",
            "(?R)a",
            "(?=a)",
            "(?!a)",
            "(?<=a)",
            "(?<!a)",
            "(?P<a.b>c)",
            "(?P=a)",
            "(?>a)",
            "a**",
            "a+*",
            "a*??",
            "a{2}{3}",
            "a{1001}",
            "*",
            "a|*",
            r"\1",
            r"\8",
            r"\Z",
            r"\G",
            r"\C",
            r"\h",
            r"\u0041",
            r"\U00000041",
            r"\E",
            r"\é",
            r"\",
            r"\x4",
            r"\x{}",
            r"\x{110000}",
            r"\x+1",
            r"\p{Alphabetic}",
            r"\p{Script=Greek}",
            r"\p{sc:Greek}",
            r"\pé",
            r"\p{Greek",
            "[a",
            "[]",
            "[b-a]",
            "[a--b]",
            r"[a-\d]",
            r"[\b]",
            r"[\Qa\E]",
            "[[:nothing:]]",
            "[[:a&&b:]]",
            "(a",
            "a)",
            "(?i",
        ] {
            assert!(run(pattern).is_err(), "{pattern}");
        }
    }
}

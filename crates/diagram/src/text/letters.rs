//! What boxes and lines are made of.

/// Which letters a terminal has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letters {
    /// Those for drawing boxes.
    Unicode,
    Ascii,
}

impl Letters {
    pub(super) const fn alphabet(self) -> &'static Alphabet {
        match self {
            Self::Unicode => &UNICODE,
            Self::Ascii => &ASCII,
        }
    }
}

pub(super) struct Alphabet {
    /// By what they connect: above is 1, right is 2, below is 4, left is 8.
    pub(super) lines: [char; 16],
    /// Broken lines: across, down.
    pub(super) broken: [char; 2],
    /// Pointing up, right, down, left.
    pub(super) heads: [char; 4],
    pub(super) plain: Border,
    pub(super) round: Border,
    pub(super) double: Border,
    /// The border of a group: across, down, corner.
    pub(super) frame: [char; 3],
    pub(super) dot: char,
    /// Whether only ASCII may be written.
    pub(super) is_ascii: bool,
}

/// The border of a box.
pub(super) struct Border {
    pub(super) across: char,
    pub(super) down: char,
    /// From the upper left, clockwise.
    pub(super) corners: [char; 4],
    /// Where a line leaves: upward, downward.
    pub(super) doors: [char; 2],
}

const UNICODE: Alphabet = Alphabet {
    lines: ['·', '│', '─', '└', '│', '│', '┌', '├', '─', '┘', '─', '┴', '┐', '┤', '┬', '┼'],
    broken: ['┄', '┆'],
    heads: ['▲', '►', '▼', '◄'],
    plain: Border {
        across: '─', down: '│', corners: ['┌', '┐', '┘', '└'], doors: ['┴', '┬']
    },
    round: Border {
        across: '─', down: '│', corners: ['╭', '╮', '╯', '╰'], doors: ['┴', '┬']
    },
    double: Border {
        across: '═', down: '║', corners: ['╔', '╗', '╝', '╚'], doors: ['╧', '╤']
    },
    frame: ['·', '·', '·'],
    dot: '●',
    is_ascii: false,
};

const ASCII: Alphabet = Alphabet {
    lines: ['.', '|', '-', '+', '|', '|', '+', '+', '-', '+', '-', '+', '+', '+', '+', '+'],
    broken: ['-', ':'],
    heads: ['^', '>', 'v', '<'],
    plain: Border { across: '-', down: '|', corners: ['+'; 4], doors: ['+'; 2] },
    round: Border { across: '-', down: '|', corners: ['/', '\\', '/', '\\'], doors: ['+'; 2] },
    double: Border { across: '=', down: '|', corners: ['#'; 4], doors: ['+'; 2] },
    frame: ['.', '.', '.'],
    dot: 'o',
    is_ascii: true,
};

/// What stands for a letter where there is only ASCII.
pub(super) const fn plain(letter: char) -> char {
    match letter {
        '\0'..='\u{7f}' => letter,
        '…' => '~',
        '×' => 'x',
        '●' => '*',
        '✗' => '!',
        '·' => '.',
        '≠' => '!',
        '≥' => '>',
        '≤' => '<',
        _ => '?',
    }
}

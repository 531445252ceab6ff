//! A sheet of letters on which lines join where they meet.

use super::letters::{Alphabet, Border, plain};
use crate::{
    layout::{Area, Point, TooLarge},
    words::columns_of,
};

/// Letters of one drawing. More fill no screen.
const LETTERS_MAX: usize = 8_000_000;

pub(super) struct Canvas {
    alphabet: &'static Alphabet,
    width: usize,
    cells: Vec<Cell>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    letter: Letter,
    /// Whether a line passes across, or down.
    across: bool,
    down: bool,
    is_broken: bool,
    /// What lines that turn here connect: above is 1, right is 2, below is 4, left is 8.
    turns: u8,
}

#[derive(Clone, Copy, Debug, Default)]
enum Letter {
    #[default]
    None,
    One(char),
    /// The second half of the one before.
    Rest,
}

/// Which way a line goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Up,
    Right,
    Down,
    Left,
}

impl Way {
    const fn bit(self) -> u8 {
        match self {
            Self::Up => 1,
            Self::Right => 2,
            Self::Down => 4,
            Self::Left => 8,
        }
    }

    const fn back(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Right => Self::Left,
            Self::Down => Self::Up,
            Self::Left => Self::Right,
        }
    }

    const fn between(from: Point, to: Point) -> Self {
        match () {
            () if to.y < from.y => Self::Up,
            () if to.y > from.y => Self::Down,
            () if to.x < from.x => Self::Left,
            () => Self::Right,
        }
    }

    const fn step(self, from: Point) -> Point {
        let Point { x, y } = from;
        match self {
            Self::Up => Point { x, y: y - 1 },
            Self::Right => Point { x: x + 1, y },
            Self::Down => Point { x, y: y + 1 },
            Self::Left => Point { x: x - 1, y },
        }
    }
}

impl Canvas {
    pub(super) fn new(
        width: i64,
        height: i64,
        alphabet: &'static Alphabet,
    ) -> Result<Self, TooLarge> {
        let [width, height] = [width, height].map(|it| usize::try_from(it).unwrap_or_default());
        let found = width.saturating_mul(height);
        if found > LETTERS_MAX {
            return Err(TooLarge { what: "letters", found, most: LETTERS_MAX });
        }
        Ok(Self { alphabet, width, cells: vec![Cell::default(); found] })
    }

    fn cell(&mut self, x: i64, y: i64) -> Option<&mut Cell> {
        let [x, y] = [x, y].map(|it| usize::try_from(it).ok());
        let (x, y) = (x.filter(|it| *it < self.width)?, y?);
        self.cells.get_mut(y * self.width + x)
    }

    fn put(&mut self, x: i64, y: i64, letter: Letter) {
        if let Some(cell) = self.cell(x, y) {
            *cell = Cell { letter, ..Cell::default() };
        }
    }

    /// Writes over whatever is there.
    pub(super) fn write(&mut self, x: i64, y: i64, text: &str) {
        let mut at = x;
        for letter in text.chars() {
            let letter = if self.alphabet.is_ascii { plain(letter) } else { letter };
            match columns_of(letter) {
                0 => {}
                1 => {
                    self.put(at, y, Letter::One(letter));
                    at += 1;
                }
                _ => {
                    self.put(at, y, Letter::One(letter));
                    self.put(at + 1, y, Letter::Rest);
                    at += 2;
                }
            }
        }
    }

    pub(super) fn rectangle(&mut self, area: &Area, border: &Border) {
        let (right, bottom) = (area.x + area.width - 1, area.y + area.height - 1);
        for y in area.y..=bottom {
            for x in area.x..=right {
                let letter = match (x == area.x, x == right, y == area.y, y == bottom) {
                    (true, _, true, _) => border.corners[0],
                    (_, true, true, _) => border.corners[1],
                    (_, true, _, true) => border.corners[2],
                    (true, _, _, true) => border.corners[3],
                    (_, _, true, _) | (_, _, _, true) => border.across,
                    (true, ..) | (_, true, ..) => border.down,
                    (false, false, false, false) => ' ',
                };
                self.put(x, y, Letter::One(letter));
            }
        }
    }

    /// A thin frame around a group.
    pub(super) fn frame(&mut self, area: &Area) {
        let [across, down, corner] = self.alphabet.frame;
        let (right, bottom) = (area.x + area.width - 1, area.y + area.height - 1);
        for x in (area.x..=right).step_by(2) {
            self.put(x, area.y, Letter::One(across));
            self.put(x, bottom, Letter::One(across));
        }
        for y in area.y..=bottom {
            self.put(area.x, y, Letter::One(down));
            self.put(right, y, Letter::One(down));
        }
        for (x, y) in [(area.x, area.y), (right, area.y), (right, bottom), (area.x, bottom)] {
            self.put(x, y, Letter::One(corner));
        }
    }

    /// A line with a head. It begins and ends beside the borders of boxes, which reach into what is
    /// below and right of a line, and not into what is above and left of it.
    pub(super) fn line(&mut self, points: &[Point], is_broken: bool) {
        let mut ways: Vec<(Point, Way)> = Vec::new();
        for pair in points.windows(2) {
            let [from, to] = *pair else { continue };
            let way = Way::between(from, to);
            let mut at = from;
            while at != to {
                ways.push((at, way));
                at = way.step(at);
            }
        }
        let (Some(first), Some(last)) = (ways.first().copied(), ways.last().copied()) else {
            return;
        };
        let mut cells: Vec<(Point, Way)> = ways;
        match last.1 {
            // The last point is the border itself.
            Way::Down => {}
            Way::Up | Way::Left | Way::Right => cells.push((last.1.step(last.0), last.1)),
        }
        if first.1 == Way::Up {
            cells.remove(0);
        }
        self.open(first);
        let mut came = first.1;
        let count = cells.len();
        for (index, (at, way)) in cells.into_iter().enumerate() {
            if index + 1 == count {
                let [up, right, down, left] = self.alphabet.heads;
                let head = match way {
                    Way::Up => up,
                    Way::Right => right,
                    Way::Down => down,
                    Way::Left => left,
                };
                self.put(at.x, at.y, Letter::One(head));
            } else {
                self.pass(at, (came, way), is_broken);
            }
            came = way;
        }
    }

    /// Opens the border of the box that a line leaves.
    fn open(&mut self, (at, way): (Point, Way)) {
        let y = match way {
            Way::Down => at.y - 1,
            Way::Up => at.y,
            Way::Left | Way::Right => return,
        };
        let alphabet = self.alphabet;
        let Some(Cell { letter: Letter::One(letter), .. }) = self.cell(at.x, y) else { return };
        let borders = [&alphabet.plain, &alphabet.double];
        if let Some(border) = borders.iter().find(|it| it.across == *letter) {
            let [upward, downward] = border.doors;
            *letter = if way == Way::Up { upward } else { downward };
        }
    }

    fn pass(&mut self, at: Point, (came, goes): (Way, Way), is_broken: bool) {
        let Some(cell) = self.cell(at.x, at.y) else { return };
        if let Letter::One(letter) = cell.letter {
            // Only the frame of a group makes way.
            if !matches!(letter, '·' | '.') {
                return;
            }
            cell.letter = Letter::None;
        }
        let is_first = !cell.across && !cell.down && cell.turns == 0;
        cell.is_broken = is_broken && (is_first || cell.is_broken);
        match (came == goes, goes) {
            (true, Way::Left | Way::Right) => cell.across = true,
            (true, Way::Up | Way::Down) => cell.down = true,
            (false, _) => cell.turns |= came.back().bit() | goes.bit(),
        }
    }

    /// Everything that was drawn, without blanks at the ends of lines.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for row in self.cells.chunks(self.width.max(1)) {
            let line: String = row.iter().filter_map(|it| self.letter(it)).collect();
            text.push_str(line.trim_end());
            text.push('\n');
        }
        let text = text.trim_end_matches('\n').trim_start_matches('\n');
        format!("{text}\n")
    }

    /// Where two lines only cross, the one that runs down is in front.
    fn letter(&self, cell: &Cell) -> Option<char> {
        let Alphabet { lines, broken, .. } = self.alphabet;
        let across = if cell.across { 10 } else { 0 };
        let down = if cell.down { 5 } else { 0 };
        match (cell.letter, cell.turns) {
            (Letter::One(letter), _) => Some(letter),
            (Letter::Rest, _) => None,
            (Letter::None, 0) => Some(match (cell.across, cell.down, cell.is_broken) {
                (false, false, _) => ' ',
                (_, true, false) => lines[5],
                (_, true, true) => broken[1],
                (true, false, false) => lines[10],
                (true, false, true) => broken[0],
            }),
            (Letter::None, turns) => lines.get(usize::from(turns | across | down)).copied(),
        }
    }
}

//! Scenes: events at a company in a day, their frequency and time, and their lines in a log.
//! They are in the files of `scenes/`, one for each log that is sent:
//!
//! - `# COUNT WHEN [noise] TITLE` begins a scene. A count with `~` follows the size of the day. `noise`
//!   marks internet-wide traffic. WHEN is `always`, `waking`, `office`, `night` or a time of day;
//! - `+WAIT [xTIMES] TEXT` is a line of it, so many seconds after the line before, perhaps repeated;
//!   both may be ranges, `1..9`;
//! - `list NAME` and indented lines below it are lines to draw from;
//! - `//` begins a comment.
//!
//! The placeholders of a text are described in `template`.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use thiserror::Error;

use super::template::{Filling, Lists, TemplateError, range};

const DAY_SECONDS: i64 = 86_400;
/// A scene that happens at a time of day begins within so many seconds of it.
const AROUND_SECONDS: i64 = 180;

/// A file of scenes that cannot be played.
#[derive(Debug, Error)]
pub(crate) enum SceneError {
    #[error("scenes/{file}.txt:{line}: {what}")]
    Syntax { file: &'static str, line: usize, what: &'static str },
    #[error("scenes/{file}.txt, {title}: {source}")]
    Template { file: &'static str, title: String, source: TemplateError },
}

/// When a scene begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    Always,
    Waking,
    Office,
    Night,
    /// Seconds since midnight.
    At(i64),
}

#[derive(Debug)]
struct SceneLine<'t> {
    wait: (u64, u64),
    times: (u64, u64),
    text: &'t str,
}

/// An event and its lines.
#[derive(Debug)]
pub(crate) struct Scene<'t> {
    pub(crate) title: &'t str,
    pub(crate) is_noise: bool,
    count: u64,
    follows_size: bool,
    when: When,
    lines: Vec<SceneLine<'t>>,
}

/// A line of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// Time of writing, milliseconds since 1970; 0 if only the line contains it.
    pub(crate) time_ms: i64,
    /// Host, if the scene names it.
    pub(crate) host: Option<String>,
    pub(crate) text: String,
}

/// The scenes of one log.
#[derive(Debug)]
pub(crate) struct Script<'t> {
    file: &'static str,
    pub(crate) scenes: Vec<Scene<'t>>,
    lists: Lists<'t>,
}

/// The day: its end, its size, and its seed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Day {
    /// Milliseconds since 1970.
    pub(crate) end_ms: i64,
    /// Factor of the counts that scale with the size of the day.
    pub(crate) scale: f64,
    pub(crate) seed: u64,
}

impl<'t> Script<'t> {
    /// Reads a file of scenes.
    ///
    /// # Errors
    /// [`SceneError::Syntax`], which names the line.
    pub(crate) fn read(file: &'static str, text: &'t str) -> Result<Self, SceneError> {
        let mut script = Self { file, scenes: Vec::new(), lists: Lists::new() };
        let mut list = None;
        for (number, line) in text.lines().enumerate() {
            let wrong = |what| SceneError::Syntax { file, line: number + 1, what };
            if line.is_empty() || line.starts_with("//") {
                continue;
            }
            if let Some(entry) = line.strip_prefix("  ") {
                let name = list.ok_or_else(|| wrong("an entry without a list"))?;
                script.lists.entry(name).or_default().push(entry);
                continue;
            }
            if let Some(name) = line.strip_prefix("list ") {
                list = Some(name);
            } else if let Some(head) = line.strip_prefix("# ") {
                script.scenes.push(scene(head).ok_or_else(|| wrong("expected # COUNT WHEN TITLE"))?);
            } else {
                let line = scene_line(line).ok_or_else(|| wrong("expected +WAIT TEXT"))?;
                let scene = script.scenes.last_mut().ok_or_else(|| wrong("a line before any scene"))?;
                scene.lines.push(line);
            }
        }
        Ok(script)
    }

    /// Number of times a scene happens in a day.
    pub(crate) fn occurrences(scene: &Scene<'_>, day: Day) -> u64 {
        if !scene.follows_size {
            return scene.count;
        }
        // A count of a day, far below the limit of exact integers in a float.
        ((scene.count as f64 * day.scale).round() as u64).max(1)
    }

    /// Plays a scene as often as it happens.
    ///
    /// # Errors
    /// [`SceneError::Template`].
    pub(crate) fn play(&self, index: usize, day: Day, out: &mut Vec<Record>) -> Result<(), SceneError> {
        let Some(scene) = self.scenes.get(index) else { return Ok(()) };
        let failed = |source| SceneError::Template { file: self.file, title: scene.title.to_owned(), source };
        // Its own random generator: adding or removing another scene does not change it.
        let mut chance = StdRng::from_seed(seed(day.seed, self.file, scene.title));
        for _ in 0..Self::occurrences(scene, day) {
            let begin_ms = begin(scene.when, day.end_ms, &mut chance);
            let mut filling = Filling::new(&self.lists, &mut chance);
            scene.play_once(begin_ms, day.end_ms, &mut filling, out).map_err(failed)?;
        }
        Ok(())
    }
}

impl Scene<'_> {
    /// Its lines from a moment on, up to the end of the day.
    fn play_once(
        &self,
        begin_ms: i64,
        end_ms: i64,
        filling: &mut Filling<'_, '_>,
        out: &mut Vec<Record>,
    ) -> Result<(), TemplateError> {
        let mut at_ms = begin_ms;
        for line in &self.lines {
            for _ in 0..filling.number(line.times.0, line.times.1) {
                at_ms += filling.number(line.wait.0 * 1_000, line.wait.1 * 1_000 + 999).cast_signed();
                if at_ms > end_ms {
                    return Ok(());
                }
                let text = filling.fill(line.text, at_ms)?;
                let host = HOSTS.iter().find_map(|part| filling.cast(part)).map(str::to_owned);
                out.push(Record { time_ms: at_ms, host, text });
            }
        }
        Ok(())
    }
}

/// Parts whose machine writes the line.
const HOSTS: [&str; 11] = ["host", "web", "app", "db", "build", "node", "bastion", "mail", "srv", "dc", "fw"];

fn scene(head: &str) -> Option<Scene<'_>> {
    let (count, rest) = head.split_once(' ')?;
    let (when, title) = rest.split_once(' ')?;
    let (is_noise, title) = title.strip_prefix("noise ").map_or((false, title), |title| (true, title));
    let follows_size = count.starts_with('~');
    let count = count.trim_start_matches('~').parse().ok()?;
    let when = match when {
        "always" => When::Always,
        "waking" => When::Waking,
        "office" => When::Office,
        "night" => When::Night,
        time => {
            let (hour, minute) = time.split_once(':')?;
            When::At(hour.parse::<i64>().ok()? * 3_600 + minute.parse::<i64>().ok()? * 60)
        }
    };
    Some(Scene { title, is_noise, count, follows_size, when, lines: Vec::new() })
}

fn scene_line(line: &str) -> Option<SceneLine<'_>> {
    let either = |text: &str| range(text).or_else(|| text.parse().ok().map(|one| (one, one)));
    let (wait, rest) = line.strip_prefix('+')?.split_once(' ')?;
    let wait = either(wait)?;
    let repeated = rest.split_once(' ').and_then(|(word, text)| {
        let times = either(word.strip_prefix('x')?)?;
        Some(SceneLine { wait, times, text })
    });
    Some(repeated.unwrap_or(SceneLine { wait, times: (1, 1), text: rest }))
}

/// Start of a scene, milliseconds since 1970. Every time of day is once within the 24 hours.
fn begin(when: When, end_ms: i64, chance: &mut StdRng) -> i64 {
    let mut within = |lo: i64, hi: i64| chance.random_range(lo..hi);
    let hours = 3_600;
    let second = match when {
        When::Always => within(0, DAY_SECONDS),
        When::Night => within(hours / 2, 5 * hours),
        // Sum of two uniform values: most happens in the middle.
        When::Office => (within(7 * hours, 18 * hours) + within(8 * hours, 19 * hours)) / 2,
        When::Waking if within(0, 8) == 0 => within(0, DAY_SECONDS),
        When::Waking => (within(5 * hours, 23 * hours) + within(8 * hours, 24 * hours)) / 2,
        When::At(second) => second + within(0, AROUND_SECONDS),
    };
    let start = end_ms / 1_000 - DAY_SECONDS;
    (start + (second - start).rem_euclid(DAY_SECONDS)) * 1_000
}

/// FNV-1a, for seeds only: the same on every machine and in every version.
fn seed(seed: u64, file: &str, title: &str) -> [u8; 32] {
    let hash = |salt: u8| {
        let bytes = seed.to_le_bytes().into_iter().chain(file.bytes()).chain([0, salt]).chain(title.bytes());
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        })
    };
    let mut bytes = [0; 32];
    for (part, salt) in bytes.chunks_exact_mut(8).zip(0..) {
        part.copy_from_slice(&hash(salt).to_le_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Day = Day { end_ms: 1_795_165_811_250, scale: 0.5, seed: 7 };
    const TEXT: &str = "// who\nlist page\n  /a\n  /b\n# ~100 09:00 noise a visit\n+0 <bot> GET <page>\n+1..2 x3 <host> again\n";

    fn played(day: Day) -> Vec<Record> {
        let script = Script::read("test", TEXT).unwrap();
        let mut records = Vec::new();
        script.play(0, day, &mut records).unwrap();
        records
    }

    #[test]
    fn a_scene_is_played_as_often_as_it_happens_and_the_same_for_a_seed() {
        let records = played(DAY);
        assert_eq!(records.len(), 50 * 4);
        assert_eq!(records, played(DAY));
        assert_ne!(records, played(Day { seed: 8, ..DAY }));
        let nine = 1_795_165_200_000;
        assert!(records.iter().all(|record| (nine..nine + 200_000).contains(&record.time_ms)));
        assert!(records.iter().any(|record| record.host.is_some()));
    }

    #[test]
    fn everything_lies_within_the_day() {
        let mut chance = StdRng::seed_from_u64(5);
        for when in [When::Always, When::Waking, When::Office, When::Night, When::At(0), When::At(86_000)] {
            for _ in 0..200 {
                let at = begin(when, DAY.end_ms, &mut chance);
                assert!((DAY.end_ms - 86_401_000..=DAY.end_ms).contains(&at), "{when:?}: {at}");
            }
        }
    }

    #[test]
    fn a_line_that_means_nothing_is_named() {
        for text in
            ["+0 before any scene", "# many always x", "# 1 sometimes x", "  entry", "# 1 always x\nx"]
        {
            let error = Script::read("test", text).unwrap_err().to_string();
            assert!(error.starts_with("scenes/test.txt:"), "{error}");
        }
    }
}

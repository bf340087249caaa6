//! The best legal path of tags.

/// What a token is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tag {
    /// Nothing.
    Outside,
    /// The first token of a person's name, and the others.
    Person,
    /// Goes on with a person's name.
    PersonMore,
    /// The first token of a place.
    Location,
    /// Goes on with a place.
    LocationMore,
    /// The first token of an organization.
    Organization,
    /// Goes on with an organization.
    OrganizationMore,
}

/// All tags, in the order of the labels of the model.
pub const TAGS: [Tag; 7] = [
    Tag::Outside,
    Tag::Person,
    Tag::PersonMore,
    Tag::Location,
    Tag::LocationMore,
    Tag::Organization,
    Tag::OrganizationMore,
];

impl Tag {
    /// Its name in a model file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Outside => "O",
            Self::Person => "B-PER",
            Self::PersonMore => "I-PER",
            Self::Location => "B-LOC",
            Self::LocationMore => "I-LOC",
            Self::Organization => "B-ORG",
            Self::OrganizationMore => "I-ORG",
        }
    }

    /// The tag that begins what this one is part of.
    #[must_use]
    pub fn head(self) -> Self {
        match self {
            Self::PersonMore => Self::Person,
            Self::LocationMore => Self::Location,
            Self::OrganizationMore => Self::Organization,
            head => head,
        }
    }

    fn follows(self, before: Self) -> bool {
        self.head() == self || self.head() == before.head()
    }
}

/// Scores of a token by tag.
pub(crate) type Scores = [f32; TAGS.len()];

/// The tags with the largest sum of scores among those in which every part of a name follows its begin.
pub(crate) fn best(scores: &[Scores]) -> Vec<Tag> {
    let mut sums: Vec<(Scores, [usize; TAGS.len()])> = Vec::with_capacity(scores.len());
    let mut before: Scores = [0.0; TAGS.len()];
    for (place, own) in scores.iter().enumerate() {
        let mut sum: Scores = [f32::MIN; TAGS.len()];
        let mut from = [0; TAGS.len()];
        for (((tag, score), sum), from) in TAGS.into_iter().zip(own).zip(&mut sum).zip(&mut from) {
            for (index, (last, reached)) in TAGS.into_iter().zip(&before).enumerate() {
                let legal = if place == 0 { tag.head() == tag } else { tag.follows(last) };
                if legal && reached + score > *sum {
                    (*sum, *from) = (reached + score, index);
                }
            }
        }
        before = sum;
        sums.push((sum, from));
    }
    let mut index =
        before.iter().enumerate().max_by(|one, two| one.1.total_cmp(two.1)).map_or(0, |(index, _)| index);
    let mut tags: Vec<Tag> = Vec::with_capacity(scores.len());
    for (_, from) in sums.iter().rev() {
        tags.push(TAGS.get(index).copied().unwrap_or(Tag::Outside));
        index = from.get(index).copied().unwrap_or(0);
    }
    tags.reverse();
    tags
}

//! The meaning of the elements of JATS and BITS to a reader of text.

/// Elements that are left out with all that is in them.
const SKIPPED: &str = "ref-list ack front-matter collection-meta dedication bio toc toc-group index \
    index-group index-term contrib-group aff author-notes permissions graphic inline-graphic media \
    inline-media supplementary-material inline-supplementary-material related-article related-object \
    object-id kwd-group alt-text long-desc alt-title trans-title-group trans-abstract annotation \
    annotation-xml processing-meta custom-meta-group";

/// The kinds of footnotes about the authors and the making of an article, which say nothing of its subject.
const ABOUT_AUTHORS: &str = "con conflict coi-statement corresp current-aff deceased edited-by equal \
    financial-disclosure on-leave participating-researchers present-address presented-at presented-by \
    previously-at study-group-members supported-by supplementary-material";

/// An element by what is done with it. Elements that are not named are passed through: their text is part of
/// whatever they stand in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NxmlElement {
    Inline,
    /// Left out with all that is in it.
    Skipped,
    /// Its text says what the document is and is no part of it, but for titles and the abstract.
    Front,
    TitleGroup,
    /// The title of an article, a book or a part of it, in a group of titles.
    MainTitle,
    Subtitle,
    Abstract,
    /// A part of a book.
    Part,
    /// A section, with the title that it gets if it has none.
    Section(Option<&'static str>),
    Title,
    Label,
    Paragraph,
    List,
    Item,
    DefinitionItem,
    Definition,
    Caption,
    Figure,
    TableWrap,
    Table,
    TableHead,
    Row,
    Cell,
    HeaderCell,
    Footnote,
    Code,
    Break,
    Superscript,
    CrossReference,
    /// The tokens alone have text in mathematics.
    Math,
    MathToken,
    /// The children of these are told apart by what is written between them.
    Fraction,
    Power,
    Root,
    MathRow,
    /// Formulae in TeX, which stand next to the same in `MathML`.
    Tex,
    Alternatives,
    PublicationDate,
}

impl NxmlElement {
    pub(super) fn of(name: &str) -> Self {
        match name {
            "p" | "disp-quote" | "verse-line" | "attrib" | "boxed-text" | "disp-formula-group"
            | "statement" | "speech" | "question" | "answer" | "explanation" | "table-wrap-foot"
            | "subj-group" | "address" => Self::Paragraph,
            "sec" | "sub-article" | "response" | "notes" | "app" | "book-app" | "preface" | "foreword" => {
                Self::Section(None)
            }
            "glossary" => Self::Section(Some("Glossary")),
            "fn-group" => Self::Section(Some("Footnotes")),
            "abstract" => Self::Abstract,
            "book-part" => Self::Part,
            "title" => Self::Title,
            "label" => Self::Label,
            "list" | "def-list" => Self::List,
            "list-item" => Self::Item,
            "def-item" => Self::DefinitionItem,
            "def" => Self::Definition,
            "caption" => Self::Caption,
            "fig" | "chem-struct-wrap" => Self::Figure,
            "table-wrap" => Self::TableWrap,
            "table" | "array" => Self::Table,
            "thead" => Self::TableHead,
            "tr" | "row" => Self::Row,
            "td" | "entry" => Self::Cell,
            "th" => Self::HeaderCell,
            "fn" => Self::Footnote,
            "code" | "preformat" => Self::Code,
            "break" => Self::Break,
            "sup" => Self::Superscript,
            "xref" => Self::CrossReference,
            "math" => Self::Math,
            "mi" | "mn" | "mo" | "mtext" | "ms" => Self::MathToken,
            "mfrac" => Self::Fraction,
            "msup" => Self::Power,
            "msqrt" => Self::Root,
            "mrow" => Self::MathRow,
            "tex-math" => Self::Tex,
            "alternatives" => Self::Alternatives,
            "pub-date" => Self::PublicationDate,
            "article-title" | "book-title" => Self::MainTitle,
            "subtitle" => Self::Subtitle,
            "title-group" | "book-title-group" => Self::TitleGroup,
            "front" | "front-stub" | "article-meta" | "journal-meta" | "book-meta" | "book-part-meta"
            | "sec-meta" | "event" => Self::Front,
            _ if is_listed(SKIPPED, name) => Self::Skipped,
            _ => Self::Inline,
        }
    }
}

/// Returns true for a kind of footnotes that is about the authors.
pub(super) fn is_about_authors(footnote: &str) -> bool {
    is_listed(ABOUT_AUTHORS, footnote)
}

fn is_listed(names: &str, name: &str) -> bool {
    names.split(' ').any(|listed| listed == name)
}

/// Titles of sections that thank somebody or list what is referred to.
pub(super) fn is_no_content(title: &str) -> bool {
    const TITLES: [&str; 5] =
        ["acknowledgements", "acknowledgments", "acknowledgement", "acknowledgment", "references"];
    TITLES.iter().any(|known| title.trim().eq_ignore_ascii_case(known))
}

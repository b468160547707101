/// A part of a request that has rows of its own.
enum ComposeSection: Sendable, Hashable, CaseIterable {
    case query, headers
    /// The body as pairs, where it is a form.
    case form
    /// The body as parts, where it is multipart.
    case parts
    /// The body as lines of text, where it is none of these.
    case body

    var title: String {
        switch self {
        case .query: "Query"
        case .headers: "Headers"
        case .form: "Form"
        case .parts: "Parts"
        case .body: "Body"
        }
    }
}

/// A row of the screen that requests are composed on.
enum ComposeRow: Sendable, Hashable {
    case method
    case url
    case heading(ComposeSection)
    /// A parameter, a field, or a line of the body, by its number.
    case item(ComposeSection, Int)
    /// One that is being added and will have that number.
    case new(ComposeSection, Int)
    /// What stands for a section without rows.
    case nothing(ComposeSection)

    /// The section the row belongs to; nil for the start line.
    var section: ComposeSection? {
        switch self {
        case .method, .url: nil
        case .heading(let section), .item(let section, _), .new(let section, _),
            .nothing(let section):
            section
        }
    }
}

/// Which half of a row is meant.
enum ComposeCell: Sendable, Hashable {
    case name, value
}

/// A part of a request that has rows.
enum ComposeSection: Sendable, Hashable, CaseIterable {
    case query, headers
    /// The body as pairs, if it is a form.
    case form
    /// The body as parts, if it is multipart.
    case parts
    /// The body as lines of text, if it is neither.
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

/// A row of the compose screen.
enum ComposeRow: Sendable, Hashable {
    case method
    case url
    case heading(ComposeSection)
    /// A parameter, a field, or a line of the body, by its index.
    case item(ComposeSection, Int)
    /// An item that is being added and will have that index.
    case new(ComposeSection, Int)
    /// A placeholder for a section without rows.
    case nothing(ComposeSection)

    /// The section the row belongs to, or nil for the start line.
    var section: ComposeSection? {
        switch self {
        case .method, .url: nil
        case .heading(let section), .item(let section, _), .new(let section, _),
            .nothing(let section):
            section
        }
    }
}

/// One of the two halves of a row.
enum ComposeCell: Sendable, Hashable {
    case name, value
}

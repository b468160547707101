/// Where something was found in an exchange.
enum SearchPlace: Sendable, Hashable {
    /// A line in front of the body.
    case head(line: Int)
    /// Bytes of the body, and the viewer's line that shows them; nil where none does.
    case body(line: Int?, range: Range<Int>)
}

/// Where a search begins on a tab.
enum SearchOrigin: Sendable, Hashable {
    /// Before everything.
    case beginning
    /// At the last match, which is looked at again only after all else.
    case match(SearchPlace)
    /// At the cursor, on no match, in a line before the body: forward the line itself comes
    /// first, backward the one above it.
    case headLine(Int)
    /// The same in the body: forward what begins at a byte or later comes first, backward what
    /// begins before it. At least 0.
    case byte(Int)
}

/// A part of an exchange that is searched in one go, in its order.
struct SearchStop: Sendable {
    enum Extent: Sendable {
        /// Lines in front of the body.
        case head(Range<Int>)
        /// Matches in the body that begin in a range.
        case body(Range<Int>)
    }

    let tab: DetailTab
    let extent: Extent
    /// Whether the search went past the last or the first stop to come here.
    let isWrapped: Bool
}

internal import Capture

/// Where something was found in an exchange.
enum SearchPlace: Sendable, Hashable {
    /// A line in front of the body.
    case head(line: Int)
    /// Bytes of the body, and the viewer's line that shows them; nil where none does.
    case body(line: Int?, range: Range<Int>)
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

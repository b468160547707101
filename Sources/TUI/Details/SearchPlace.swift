/// The place of a match in an exchange.
enum SearchPlace: Sendable, Hashable {
    /// A line before the body.
    case head(line: Int)
    /// Bytes of the body, and the viewer's line that shows them, or nil if none does.
    case body(line: Int?, range: Range<Int>)
}

/// Where a search starts on a tab.
enum SearchOrigin: Sendable, Hashable {
    /// Before everything.
    case beginning
    /// At the last match, which is searched again only after everything else.
    case match(SearchPlace)
    /// At the cursor, not on a match, in a line before the body. Forward the line itself comes
    /// first, backward the line above it.
    case headLine(Int)
    /// The same in the body: forward, matches that start at a byte or later come first; backward,
    /// matches that start before it. At least 0.
    case byte(Int)
}

/// A part of an exchange that is searched in one step.
struct SearchStop: Sendable {
    enum Extent: Sendable {
        /// Lines before the body.
        case head(Range<Int>)
        /// Matches in the body that start in a range.
        case body(Range<Int>)
    }

    let tab: DetailTab
    let extent: Extent
    /// Whether the search wrapped around before this stop.
    let isWrapped: Bool
}

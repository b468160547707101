/// A line of formatted JSON.
struct JSONLine: ScannedLine {
    enum Kind: Sendable, Hashable {
        /// A value with its name, or the rest of a string that was split.
        case value
        /// The start of an object or array.
        case open
        /// The end of an object or array.
        case close
        /// A folded container, with the number of its members or elements in the available body.
        case folded(count: Int, isCut: Bool)
    }

    var range: Range<Int>
    var kind: Kind
    /// The number of objects and arrays that contain the line.
    var depth: Int
    /// The index in the array; nil in objects, and if nested too deeply to count.
    var elementIndex: Int?
    /// Whether it starts inside a string that was split.
    var startsInString = false
}

/// A line of a JSON text.
struct JSONLine: ScannedLine {
    enum Kind: Sendable, Hashable {
        /// A value with its name, or what is left of a string that was cut.
        case value
        /// The beginning of an object or array.
        case open
        /// The end of one.
        case close
        /// A folded one: how many members or elements it has so far as the body goes.
        case folded(count: Int, isCut: Bool)
    }

    var range: Range<Int>
    var kind: Kind
    /// How many objects and arrays it lies in.
    var depth: Int
    /// Its place in its array; nil in objects, and too deep to tell.
    var elementIndex: Int?
    /// Whether it begins inside a string that was cut.
    var startsInString = false
}

/// One thing that is not tidy, `FILE:LINE: what`.
struct Finding: Equatable, CustomStringConvertible {
    let file: String
    /// Counted from 1.
    let line: Int
    let message: String

    var description: String { "\(file):\(line): \(message)" }
}

/// Why a value cannot be set or removed.
public enum JSONPathError: Error, Sendable, Hashable {
    /// A text that is not a valid path.
    case badPath
    /// A step into a scalar, by name into an array or by position into an object; `stepIndex` is
    /// the number of steps before it.
    case wrongContainer(stepIndex: Int)
    /// A position beyond the end of an array by more than one; `stepIndex` is the number of steps
    /// before it.
    case noSuchElement(stepIndex: Int)
    /// The root cannot be removed.
    case rootCannotBeRemoved
    /// The bytes are not JSON.
    case notJSON(JSONSyntaxError)
    /// The value cannot be written as JSON.
    case cannotBeWritten(JSONWritingError)
}

extension JSONPathError: CustomStringConvertible {
    /// A message for the user.
    public var description: String {
        switch self {
        case .badPath: "the text is not a path"
        case .wrongContainer(let index):
            "step \(index + 1) of the path does not fit the value it leads into"
        case .noSuchElement(let index):
            "step \(index + 1) of the path is after the end of the array"
        case .rootCannotBeRemoved: "the root cannot be removed"
        case .notJSON(let error): "not JSON: \(error)"
        case .cannotBeWritten(let error): "the value cannot be written: \(error)"
        }
    }
}

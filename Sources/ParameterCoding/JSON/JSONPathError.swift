/// Why a value cannot be set or removed.
public enum JSONPathError: Error, Sendable, Hashable {
    /// A text that is no path.
    case badPath
    /// A step that asks a scalar for something inside, an array for a name or an object for a
    /// position; the number of steps before it.
    case wrongContainer(stepIndex: Int)
    /// A position more than one behind the array's last; the number of steps before it.
    case noSuchElement(stepIndex: Int)
    /// A root cannot be removed.
    case rootCannotBeRemoved
    /// The octets are not JSON.
    case notJSON(JSONSyntaxError)
    /// The value has no JSON text.
    case cannotBeWritten(JSONWritingError)
}

extension JSONPathError: CustomStringConvertible {
    /// What is wrong, for a person.
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

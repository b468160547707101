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

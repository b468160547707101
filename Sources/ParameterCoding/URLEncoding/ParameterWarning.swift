/// An encoding that was requested but that a receiver may interpret differently.
public enum ParameterWarning: Sendable, Hashable, CustomStringConvertible {
    /// Objects in the array or set with this key: the boundaries between them are not sent.
    case arrayOfObjects(key: String)
    /// Arrays or sets in the array or set with this key: the boundaries between them are not sent.
    case arrayOfArrays(key: String)

    /// A description of the problem and a remedy.
    public var description: String {
        switch self {
        case .arrayOfObjects(let key):
            "the objects in the array “\(key)” run together: send arrays as JSON or with indices"
        case .arrayOfArrays(let key):
            "the arrays in the array “\(key)” run together: send arrays as JSON or with indices"
        }
    }
}

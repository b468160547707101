/// What was encoded as asked, although a receiver may understand it differently.
public enum ParameterWarning: Sendable, Hashable, CustomStringConvertible {
    /// Objects in the array or set of this key: where one ends and the next begins is not sent.
    case arrayOfObjects(key: String)
    /// Arrays or sets in the array or set of this key: where one ends and the next begins is not
    /// sent.
    case arrayOfArrays(key: String)

    /// What is wrong and what helps.
    public var description: String {
        switch self {
        case .arrayOfObjects(let key):
            "the objects in the array “\(key)” run together: send arrays as JSON or with indices"
        case .arrayOfArrays(let key):
            "the arrays in the array “\(key)” run together: send arrays as JSON or with indices"
        }
    }
}

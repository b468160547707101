/// Encodes parameters as the pairs of a query or of a form.
///
/// ```
/// {name: "A b", tags: ["x", "y"], at: {z: 1}}   name=A%20b&tags%5B%5D=x&tags%5B%5D=y&at%5Bz%5D=1
/// ```
/// Every rule is a property of its own; the presets are the sets of rules of known libraries.
public struct URLEncoding: Sendable {
    /// Whether the pairs go into the query or the body.
    public var destination = Destination.methodDependent
    /// The methods whose parameters go into the query if `destination` depends on the method.
    public var queryMethods: Set<String> = ["GET", "HEAD", "DELETE"]
    /// Whether `get` is treated like `GET`. Methods are case-sensitive (RFC 9110 §9.1), so this is
    /// off unless a preset enables it.
    public var ignoresMethodCase = false
    /// How the existing query of the URL is treated. By default, characters that are invalid in a
    /// query, such as `[`, are escaped.
    public var existingQuery = URLQuery.Existing.escaped
    /// How the elements of an array are named.
    public var arrays = ArrayEncoding.brackets
    /// How Booleans are written.
    public var bools = BoolEncoding.numeric
    /// How a null is encoded.
    public var nulls = NilEncoding.dropKey
    /// How binary data is converted to text.
    public var data = DataEncoding.base64
    /// How dates are converted to text.
    public var dates = DateEncoding.deferredToDate
    /// How floating-point numbers are converted to text.
    public var numbers = NumberEncoding()
    /// How the names of members are converted; each component of a path is converted separately.
    public var keys = KeyEncoding.unchanged
    /// How the name of a member is appended to the path of its object.
    public var keyPaths = KeyPathEncoding.brackets
    /// How a space is encoded.
    public var spaces = SpaceEncoding.percentEscaped
    /// How an array, set or object without elements is encoded.
    public var emptyContainers = EmptyContainerEncoding.vanish
    /// The order of members. Elements of arrays always keep their order.
    public var keyOrder = KeyOrder.sortedKeys
    /// How line ends in names and texts are encoded.
    public var lineEnds = LineEnds.asGiven
    /// The characters that are not escaped. `&`, `+`, `#` and the `=` in a key are always escaped:
    /// they would change the pairs. `%` is not escaped if the set keeps it, for texts that are
    /// escaped already; a completely encoded text goes into `Parameter.raw`.
    public var escapes = EscapeSet.rfc3986
    /// The Content-Type of a body if the request does not set one.
    public var contentType = "application/x-www-form-urlencoded; charset=utf-8"
    /// How a request without parameters is treated.
    public var absentParameters = AbsentParameters.touchNothing

    /// The maximum nesting depth of arrays and objects. Each level uses stack, of which threads may
    /// have as little as 512 KiB.
    public static let depthMax = 64

    /// Creates an encoding with the rules of `URLEncoding.default`.
    public init() {}
}

/// Encodes parameters as the pairs of a query or of a form.
///
/// ```
/// {name: "A b", tags: ["x", "y"], at: {z: 1}}   name=A%20b&tags%5B%5D=x&tags%5B%5D=y&at%5Bz%5D=1
/// ```
/// Every rule is a property of its own; the presets are the sets of rules of known libraries.
public struct URLEncoding: Sendable {
    /// Where the pairs go.
    public var destination = Destination.methodDependent
    /// The methods whose parameters go into the query if `destination` depends on the method.
    public var queryMethods: Set<String> = ["GET", "HEAD", "DELETE"]
    /// Whether `get` is one of them where `GET` is. Methods are case-sensitive (RFC 9110 §9.1),
    /// so that this is off unless a preset says otherwise.
    public var ignoresMethodCase = false
    /// What is done to the query that the URL has already. What a query cannot have is escaped
    /// there, such as `[`, unless told otherwise.
    public var existingQuery = URLQuery.Existing.escaped
    /// How the elements of an array share its key.
    public var arrays = ArrayEncoding.brackets
    /// How truth values are written.
    public var bools = BoolEncoding.numeric
    /// What becomes of a null.
    public var nulls = NilEncoding.dropKey
    /// How octets become text.
    public var data = DataEncoding.base64
    /// How points in time become text.
    public var dates = DateEncoding.deferredToDate
    /// How numbers with a fraction become text.
    public var numbers = NumberEncoding()
    /// How the names of members are changed, each component of a path for itself.
    public var keys = KeyEncoding.unchanged
    /// How the name of a member follows the path of its object.
    public var keyPaths = KeyPathEncoding.brackets
    /// How a space is written.
    public var spaces = SpaceEncoding.percentEscaped
    /// What becomes of an array, set or object without elements.
    public var emptyContainers = EmptyContainerEncoding.vanish
    /// The order of members. Elements of arrays always stay in theirs.
    public var keyOrder = KeyOrder.sortedKeys
    /// How line ends in names and texts are sent.
    public var lineEnds = LineEnds.asGiven
    /// Which characters stay as they are. `&`, `+`, `#` and a key's `=` are escaped even where the
    /// set keeps them: they would make other pairs of the texts. `%` stays where the set keeps it,
    /// for texts that are escaped already; octets that are as a whole go into `Parameter.raw`.
    public var escapes = EscapeSet.rfc3986
    /// What to announce as Content-Type of a body where the request does not say it.
    public var contentType = "application/x-www-form-urlencoded; charset=utf-8"
    /// What to do without parameters.
    public var absentParameters = AbsentParameters.touchNothing

    /// How deep arrays and objects may nest: deeper names serve nobody, and each level takes
    /// stack, of which threads may have as little as 512 KiB.
    public static let depthMax = 64

    /// The rules of `URLEncoding.default`.
    public init() {}
}

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
    public var bools = BoolEncoding.numeric
    public var nulls = NilEncoding.dropKey
    public var data = DataEncoding.base64
    public var dates = DateEncoding.deferredToDate
    public var numbers = NumberEncoding()
    /// How the names of members are converted; each component of a path is converted separately.
    public var keys = KeyEncoding.unchanged
    /// How the name of a member is appended to the path of its object.
    public var keyPaths = KeyPathEncoding.brackets
    public var spaces = SpaceEncoding.percentEscaped
    /// How an array, set or object without elements is encoded.
    public var emptyContainers = EmptyContainerEncoding.vanish
    /// The order of members. Elements of arrays always keep their order.
    public var keyOrder = KeyOrder.sortedKeys
    public var lineEnds = LineEnds.asGiven
    /// The characters that are not escaped. `&`, `+`, `#` and the `=` in a key are always escaped:
    /// they would change the pairs. `%` is not escaped if the set keeps it, for texts that are
    /// escaped already; a completely encoded text goes into `Parameter.raw`.
    public var escapes = EscapeSet.rfc3986
    /// The Content-Type of a body if the request does not set one.
    public var contentType = "application/x-www-form-urlencoded; charset=utf-8"
    public var absentParameters = AbsentParameters.touchNothing

    /// The maximum nesting depth of arrays and objects. Each level uses stack, of which threads may
    /// have as little as 512 KiB.
    public static let depthMax = 64

    /// Creates an encoding with the rules of `URLEncoding.default`.
    public init() {}

    /// Query or body by method, keys sorted at every level, `key[]`, `1` and `0`, `%20`.
    public static let `default` = URLEncoding()

    /// The default rules, always into the query.
    public static let queryString: URLEncoding = {
        var encoding = URLEncoding()
        encoding.destination = .queryString
        return encoding
    }()

    /// The default rules, always into the body.
    public static let httpBody: URLEncoding = {
        var encoding = URLEncoding()
        encoding.destination = .httpBody
        return encoding
    }()

    /// What Alamofire 4's `URLEncoding` sends on Apple platforms: `1.0` is `1`.
    public static let alamofire4: URLEncoding = {
        var encoding = URLEncoding()
        encoding.numbers.wholeNumbersHaveFraction = false
        return encoding
    }()

    /// What Alamofire 5's `URLEncodedFormEncoder` sends, with arrays in their order.
    public static let alamofire5Form = URLEncoding()

    /// What AFNetworking's request serializer sends: a null is a bare key, and a request with a
    /// body gets a Content-Type even without parameters.
    public static let afNetworking: URLEncoding = {
        var encoding = URLEncoding()
        encoding.nulls = .keyOnly
        encoding.numbers.wholeNumbersHaveFraction = false
        encoding.contentType = "application/x-www-form-urlencoded"
        encoding.absentParameters = .actAsEmpty
        encoding.ignoresMethodCase = true
        encoding.existingQuery = .asGiven
        return encoding
    }()

    /// What a browser's form sends (WHATWG URL §5.2): pairs in the given order, repeated keys,
    /// spaces as `+`, numbers as JavaScript prints them, line ends as CRLF. `URLSearchParams` sends
    /// the same but does not change line ends: `lineEnds = .asGiven`.
    public static let whatwgForm: URLEncoding = {
        var encoding = URLEncoding()
        encoding.arrays = .noBrackets
        encoding.bools = .literal
        encoding.numbers.notation = .javaScript
        encoding.lineEnds = .crlf
        encoding.existingQuery = .asGiven
        encoding.spaces = .plus
        encoding.keyOrder = .asGiven
        encoding.escapes = .whatwgForm
        encoding.contentType = "application/x-www-form-urlencoded"
        return encoding
    }()
}

extension URLEncoding: ParameterSerializing {
    /// Encodes parameters for a request with the given method, whose name is case-sensitive unless
    /// `ignoresMethodCase` is set.
    /// - Throws: `ParameterEncodingError`, or an error of a custom rule.
    public func encode(_ parameters: Parameter?, method: String) throws -> EncodedParameters {
        guard parameters != nil || absentParameters == .actAsEmpty else {
            return EncodedParameters()
        }
        var writer = FormWriter(encoding: self)
        try writer.write(root: parameters ?? .object([]))
        var encoded = EncodedParameters()
        encoded.warnings = writer.warnings
        if goesIntoQuery(method) {
            guard !writer.output.isEmpty else { return encoded }
            encoded.existingQuery = existingQuery
            encoded.query = writer.output
        } else {
            encoded.body = writer.output
            encoded.contentType = contentType
        }
        return encoded
    }

    /// The bytes of the pairs, regardless of their destination.
    /// - Throws: `ParameterEncodingError`, or an error of a custom rule.
    public func bytes(_ parameters: Parameter) throws -> [UInt8] {
        var writer = FormWriter(encoding: self)
        try writer.write(root: parameters)
        return writer.output
    }

    /// Whether the parameters go into the query if the destination depends on the method.
    func isQueryMethod(_ method: String) -> Bool {
        queryMethods.contains(method)
            || ignoresMethodCase && queryMethods.contains(method.uppercased())
    }

    private func goesIntoQuery(_ method: String) -> Bool {
        switch destination {
        case .methodDependent: isQueryMethod(method)
        case .queryString: true
        case .httpBody: false
        }
    }
}

extension URLEncoding {
    public enum Destination: Sendable, Hashable {
        /// Into the query for the methods of `queryMethods`, into the body for all others.
        case methodDependent
        case queryString
        case httpBody
    }

    public enum ArrayEncoding: Sendable {
        /// `key[]=a&key[]=b`. Containers in arrays are ambiguous in this form: the encoder warns.
        case brackets
        /// `key=a&key=b`. Ambiguous like `brackets`, and so is an array of one element.
        case noBrackets
        /// `key[0]=a&key[1]=b`: unambiguous. Elements that are not written, such as dropped nulls,
        /// have no index: a gap would turn the array into an object.
        case indexInBrackets
        /// `key=["a","b"]`: the whole array as one JSON text, whatever it contains.
        case json
        /// A custom key, made from the path so far and the index of the element, counted as for
        /// `indexInBrackets`.
        case custom(@Sendable (_ key: String, _ index: Int) -> String)
    }

    public enum KeyPathEncoding: Sendable {
        /// `a[b][c]`
        case brackets
        /// `a.b.c`
        case dots
        /// The path, followed by the text that the closure returns for the name.
        case custom(@Sendable (_ name: String) -> String)
    }

    public enum KeyEncoding: Sendable {
        case unchanged
        /// `myURLProperty` becomes `my_url_property`.
        case snakeCase
        /// `myURLProperty` becomes `my-url-property`.
        case kebabCase
        /// The first letter is capitalized.
        case capitalized
        case uppercased
        case lowercased
        case custom(@Sendable (String) -> String)

        func name(_ name: String) -> String {
            switch self {
            case .unchanged: name
            case .snakeCase: KeyWords.joined(name, by: "_")
            case .kebabCase: KeyWords.joined(name, by: "-")
            case .capitalized: name.prefix(1).uppercased() + name.dropFirst()
            case .uppercased: name.uppercased()
            case .lowercased: name.lowercased()
            case .custom(let change): change(name)
            }
        }

        var changesNothing: Bool {
            if case .unchanged = self { return true }
            return false
        }
    }

    public enum KeyOrder: Sendable, Hashable {
        /// By code point of the encoded name, at every level; elements of sets by their text.
        case sortedKeys
        case asGiven
    }

    public enum EmptyContainerEncoding: Sendable, Hashable {
        case vanish
        /// `key=`
        case keepKey
    }

    /// How a request without parameters, not even an empty object, is treated.
    public enum AbsentParameters: Sendable, Hashable {
        /// Query, body and Content-Type are left unchanged.
        case touchNothing
        /// As an empty object: a request with a body gets an empty one, and its Content-Type.
        case actAsEmpty
    }

    public enum NilEncoding: Sendable {
        case dropKey
        /// `key=`
        case dropValue
        /// `key`
        case keyOnly
        /// `key=null`
        case null
        /// `key=` and the given text, or nothing if it is nil.
        case custom(@Sendable () -> String?)
    }

    public enum BoolEncoding: Sendable, Hashable {
        /// `1` and `0`.
        case numeric
        /// `true` and `false`.
        case literal
    }

    /// How floating-point numbers are converted to text: the shortest digits that round-trip,
    /// identical on every platform.
    public struct NumberEncoding: Sendable, Hashable {
        public enum Notation: Sendable, Hashable {
            /// As Swift prints them: `1e+16`, `1e-05`, `-0.0`.
            case swift
            /// As JavaScript prints them: `10000000000000000`, `0.00001`, `0`. Whole numbers have
            /// no fraction, regardless of `wholeNumbersHaveFraction`.
            case javaScript
        }

        public var notation = Notation.swift
        /// Whether a whole number is written `1.0` (as in Swift) instead of `1` (as by NSNumber).
        public var wholeNumbersHaveFraction: Bool
        /// Whether `inf` and `nan` may be sent; if not, they are an error.
        public var allowsNonFinite: Bool

        public init(wholeNumbersHaveFraction: Bool = true, allowsNonFinite: Bool = false) {
            self.wholeNumbersHaveFraction = wholeNumbersHaveFraction
            self.allowsNonFinite = allowsNonFinite
        }

        /// The text of a number; nil if it may not be sent.
        func text(_ number: Double) -> String? {
            guard number.isFinite || allowsNonFinite else { return nil }
            if notation == .javaScript { return JavaScriptNumber.text(number) }
            let text = number.description
            if wholeNumbersHaveFraction || !text.hasSuffix(".0") { return text }
            return String(text.dropLast(2))
        }
    }

    public enum DateEncoding: Sendable {
        /// Seconds since 2001-01-01T00:00:00Z, as `Date` encodes itself.
        case deferredToDate
        /// Seconds since 1970-01-01T00:00:00Z.
        case secondsSince1970
        /// Milliseconds since 1970-01-01T00:00:00Z.
        case millisecondsSince1970
        /// `2001-01-01T00:02:03Z` (RFC 3339), whole seconds.
        case iso8601
        /// A pattern of `y M d H m s S` in UTC, with other letters in apostrophes: `yyyy-MM-dd
        /// HH:mm:ss.SSS`. The number of letters is the number of digits.
        case formatted(String)
        /// The text that the closure returns; the encoder rethrows its errors.
        case custom(@Sendable (ParameterDate) throws -> String)
    }

    public enum DataEncoding: Sendable {
        /// Base64 with padding (RFC 4648 §4).
        case base64
        /// An array of the bytes as numbers, as `Data` encodes itself.
        case deferredToData
        /// The text that the closure returns; the encoder rethrows its errors.
        case custom(@Sendable (_ bytes: [UInt8]) throws -> String)
    }

    public enum SpaceEncoding: Sendable, Hashable {
        /// `%20`, unless the escape set keeps spaces.
        case percentEscaped
        /// `+`, which only form decoders interpret as a space.
        case plus
    }

    public enum LineEnds: Sendable, Hashable {
        /// Unchanged, as in `URLSearchParams`.
        case asGiven
        /// Each as CRLF, as browsers submit forms.
        case crlf
    }
}

/// The query of a URL that is stored as bytes.
public enum URLQuery {
    public enum Existing: Sendable, Hashable {
        /// It stays unchanged, byte for byte.
        case asGiven
        /// Characters that its grammar does not allow (RFC 3986 §3.4), such as `[`, are escaped.
        case escaped
    }

    /// A URL with pairs inserted after those of its query and before its fragment.
    ///
    /// Nothing is added if there are no pairs, and no `&` if none is needed.
    public static func joined(
        _ url: [UInt8], with pairs: [UInt8]?, existing: Existing = .asGiven
    ) -> [UInt8] {
        guard let pairs, !pairs.isEmpty else { return url }
        let fragmentStart = url.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
        let resource = url[..<fragmentStart]
        let queryStart = resource.firstIndex(of: UInt8(ascii: "?"))
        let query = queryStart.map { resource[($0 + 1)...] } ?? []
        var joined: [UInt8] = []
        joined.reserveCapacity(url.count + pairs.count + 2)
        joined += resource[..<(queryStart ?? fragmentStart)]
        joined.append(UInt8(ascii: "?"))
        joined += existing == .asGiven ? Array(query) : EscapeSet.rfc3986Query.encoded(Array(query))
        if let last = query.last, last != UInt8(ascii: "&") { joined.append(UInt8(ascii: "&")) }
        joined += pairs
        joined += url[fragmentStart...]
        return joined
    }
}

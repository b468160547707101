extension URLEncoding {
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

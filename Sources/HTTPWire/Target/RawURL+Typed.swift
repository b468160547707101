public import ProxydHTTPModel

extension RawURL {
    /// Reads an absolute http or https URL that a user typed, without its fragment; its bytes are
    /// kept. Returns nil if it is another form of target. Throws if it is malformed.
    public init?(typed text: String) throws(WireError) {
        let target = text.prefix { $0 != "#" }
        let head = "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n"
        let parsed = try HeadParser.parseRequestHead(Array(head.utf8))
        // A text with line ends would be a target and more.
        guard parsed.target.elementsEqual(target.utf8),
            case .forward(let url) = try EffectiveTarget.resolve(parsed, via: .proxy)
        else { return nil }
        self = url
    }
}

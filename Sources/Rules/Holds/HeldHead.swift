internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// Converts heads of held messages to text, and edited text to heads.
enum HeldHead {
    private static let lineEnd: [UInt8] = [0x0D, 0x0A]

    /// The head of a request, with the full URL in its first line and the Host that is sent.
    static func text(of request: ForwardedRequest) -> [UInt8] {
        var fields = request.head.fields
        let host = sentHost(of: request)
        if fields.first(.host) != nil || request.head.version >= .http2 {
            // An HTTP/2 request may have none; it comes first then (RFC 9110 §7.2).
            if fields.first(.host) == nil {
                fields = HeaderFields([("Host", host)]).appending(fields)
            } else {
                FieldEditor.set("Host", Array(host.utf8), in: &fields)
            }
        }
        var text = Array("\(request.head.method.rawValue) \(request.url) HTTP/1.1".utf8)
        text += lineEnd
        return text + lines(of: fields)
    }

    /// The head of a response.
    static func text(of response: ForwardedResponse) -> [UInt8] {
        let head = response.head
        return Array("HTTP/1.1 \(head.status) \(head.reason)".utf8) + lineEnd
            + lines(of: head.fields)
    }

    private static func lines(of fields: HeaderFields) -> [UInt8] {
        var text: [UInt8] = []
        fields.write(into: &text)
        return text + lineEnd
    }

    /// The authority that is sent to the server.
    private static func sentHost(of request: ForwardedRequest) -> String {
        let options = request.options
        let isFromURL =
            options.regeneratesHost
            || (request.head.targetText.contains("://") && !options.keepsHost)
        return isFromURL ? request.url.authority : request.head.authority ?? request.url.authority
    }

    // MARK: Reading

    /// Returns the request described by a text that replaces another request.
    static func request(
        _ text: [UInt8], inPlaceOf former: ForwardedRequest
    ) throws(HoldRefusal) -> ForwardedRequest {
        let head: RequestHead
        do throws(WireError) {
            head = try HeadParser.parseRequestHead(normalized(text))
        } catch {
            throw .badEdit("the head: \(error.message)")
        }
        guard head.method != .connect else {
            throw .badEdit("the head: the method cannot be changed to CONNECT")
        }
        var request = former
        request.url = try url(head.targetText, near: former.url)
        let host = head.fields.value(.host)
        guard host.map(RuleTarget.isAuthority) ?? true else {
            throw .badEdit("the head: Host must be HOST or HOST:PORT")
        }
        let shown = sentHost(of: former)
        var fields = head.fields
        if former.head.version >= .http2, former.head.fields.first(.host) == nil {
            fields.removeAll(named: "Host")
        }
        request.head = former.head.changed(
            method: head.method, authority: host ?? request.url.authority, fields: fields)
        // An unedited Host follows the URL.
        let isMoved = request.url.authority != former.url.authority
        request.options.regeneratesHost = host == nil || (isMoved && host == shown)
        request.options.keepsHost = !request.options.regeneratesHost
        return request
    }

    /// The URL in a request's first line: absolute, or a path on the former server.
    private static func url(_ target: String, near former: RawURL) throws(HoldRefusal) -> RawURL {
        let isPath = target.hasPrefix("/")
        let text = isPath ? "\(former.scheme)://\(former.authority)\(target)" : target
        do throws(WireError) {
            return try RawURL.absolute(Array(text.utf8), inPlaceOf: former)
        } catch {
            throw .badEdit("the head: the first line needs an http or https URL")
        }
    }

    /// Throws if edits have made a head too large.
    static func check(_ head: [UInt8]) throws(HoldRefusal) {
        guard head.count <= WireLimits().headByteCountMax else { throw .tooLarge }
    }

    /// Returns the response head described by a text.
    static func response(_ text: [UInt8]) throws(HoldRefusal) -> ResponseHead {
        let head: ResponseHead
        do throws(WireError) {
            head = try HeadParser.parseResponseHead(normalized(text))
        } catch {
            throw .badEdit("the head: \(error.message)")
        }
        guard (200...599).contains(head.status) else {
            throw .badEdit("the head: a status is from 200 to 599")
        }
        return head
    }

    /// Normalizes line ends to CR LF, with one empty line at the end.
    private static func normalized(_ text: [UInt8]) -> [UInt8] {
        var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            line.last == 0x0D ? line.dropLast() : line
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines.flatMap { $0 + lineEnd } + lineEnd
    }
}

extension HeaderFields {
    fileprivate func appending(_ others: HeaderFields) -> HeaderFields {
        var fields = self
        for line in others.lines {
            fields.append(
                name: Array(others.bytes[line.nameRange]),
                value: Array(others.bytes[line.valueRange]))
        }
        return fields
    }
}

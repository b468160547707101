internal import ProxydHTTPModel

/// Turns `field operator value` into a test of exchanges.
struct FilterTestBuilder: FilterVocabulary {
    /// The clock and time zone for reading times.
    let times: FilterTime

    static let exampleField = FilterField.host.rawValue
    static let hasOperators = true

    static func naming(of field: String) -> FilterFieldNaming? { FilterField.naming(of: field) }

    func word(_ text: String) -> FilterExpression {
        .test(.text(.columns([.url]), .contains(ByteSearch(text))))
    }

    func test(
        _ found: MitmproxyOperator, _ value: FilterToken.Value?, column: Int
    ) throws(FilterError) -> FilterExpression {
        if let expression = found.plainExpression { return expression }
        guard let value else {
            throw FilterError(column: column, "~\(found.rawValue) needs a value")
        }
        if let target = found.target {
            let regex = try FilterTestBuilder.regex(value, target, ignoresCase: true)
            return .test(.text(target, .regex(regex)))
        }
        guard let status = Int64(value.text) else {
            throw FilterError(column: value.column, "~\(found.rawValue) needs a status code")
        }
        return .test(.number(.status, FilterNumberRange(lower: status, upper: status)))
    }

    func test(
        field: FilterToken.Value, name: FilterToken.Value?, _ comparison: FilterOperator,
        _ value: FilterToken.Value
    ) throws(FilterError) -> FilterExpression {
        let known = try known(field, name, comparison, value)
        if known.takesName, name?.text.isEmpty ?? true {
            throw FilterError(
                column: field.column, "\(known.rawValue) needs a name: \(known.rawValue).NAME")
        }
        if known == .proto, comparison == .contains || comparison == .equals {
            return try protocolTest(value)
        }
        if known == .pinned { return try pinTest(comparison, value) }
        if known == .id, let test = nameTest(comparison, value) { return test }
        if let number = numberTest(known, comparison, value) { return try number.get() }
        if known == .webSocketClose { return try closeTest(comparison, value) }
        if known == .grpcStatus, let test = try grpcStatusTest(comparison, value) { return test }
        let target = target(of: known, name: name?.text ?? "")
        return .test(.text(target, try match(known, target, comparison, value)))
    }

    /// Looks up the written field: `host`, `header` with a name after it, `h2.reset`.
    private func known(
        _ field: FilterToken.Value, _ name: FilterToken.Value?, _ comparison: FilterOperator,
        _ value: FilterToken.Value
    ) throws(FilterError) -> FilterField {
        let word = field.text.lowercased()
        let members = FilterField.members(of: word)
        guard !members.isEmpty else {
            guard let known = FilterField(name: word) else {
                throw unknown(field, name, comparison, value)
            }
            guard let name, !known.takesName else { return known }
            throw FilterError(
                column: name.column, "\(word) takes no name; quote it to search the URL")
        }
        let written = name.map { "\(word).\($0.text)" } ?? word
        if let known = FilterField(name: written) { return known }
        let all = members.map(\.rawValue).joined(separator: " or ")
        guard let name, !name.text.isEmpty else {
            throw FilterError(column: field.column, "\(word) needs a name: \(all)")
        }
        throw FilterError(column: name.column, "unknown field \"\(written)\": did you mean \(all)?")
    }

    private func unknown(
        _ field: FilterToken.Value, _ name: FilterToken.Value?, _ comparison: FilterOperator,
        _ value: FilterToken.Value
    ) -> FilterError {
        let written = field.text + (name?.text ?? "")
        return .unknownField(
            written, at: field.column, near: FilterField.near(field.text), searched: "URL",
            test: "\(written)\(comparison.rawValue)\(value.text)")
    }

    // MARK: Texts

    private func target(of field: FilterField, name: String) -> FilterTarget {
        switch field {
        case .method: .columns([.method])
        case .host: .columns([.host])
        case .path: .columns([.path])
        case .url: .columns([.url])
        case .query: .columns([.query])
        case .scheme: .columns([.scheme])
        case .type: .columns([.requestType, .responseType])
        case .client: .columns([.client, .namedClient])
        case .process: .columns([.process])
        case .user: .columns([.user])
        case .listener: .columns([.listener])
        case .upstream: .columns([.upstream])
        case .error: .columns([.error])
        case .refused: .columns([.refused])
        case .repaired: .columns([.repaired])
        case .state: .columns([.state])
        case .note: .columns([.note])
        case .store: .columns([.store])
        case .tag: .tag
        case .rule: .rule
        case .header: .header(name: name, [.request, .response])
        case .reqheader: .header(name: name, [.request])
        case .resheader: .header(name: name, [.response])
        case .param: .parameter(name: name)
        case .resjson: .responseJSON(path: name)
        case .body: .body([.request, .response])
        case .reqbody: .body([.request])
        case .resbody: .body([.response])
        case .trailer: .trailer(name: name)
        case .proto: .columns([.spokenProtocol])
        case .reset: .columns([.reset])
        case .msg: .messages(.all, .text)
        case .webSocket: .messages(.webSocket(), .text)
        case .webSocketOut: .messages(.webSocket(.toServer), .text)
        case .webSocketIn: .messages(.webSocket(.toClient), .text)
        case .eventName: .messages(.events, .event)
        case .eventData: .messages(.events, .data)
        case .eventID: .messages(.events, .id)
        case .grpcStatus: .columns([.grpcStatus])
        case .grpcService: .columns([.grpcService])
        case .grpcMethod: .columns([.grpcMethod])
        case .grpcMessage: .grpcMessage
        case .graphQLOperation: .graphQL(.name)
        case .graphQLType: .graphQL(.type)
        case .messageCount: .digits(.messageCount)
        case .webSocketCount, .webSocketClose: .digits(.webSocketMessageCount)
        case .stream: .digits(.stream)
        case .pinned: .digits(.pinned)
        case .id: .digits(.id)
        case .port: .digits(.port)
        case .status: .digits(.status)
        case .receivedStatus: .digits(.receivedStatus)
        case .held: .digits(.held)
        case .size: .digits(.responseSize)
        case .reqsize: .digits(.requestSize)
        case .duration: .digits(.duration)
        case .time: .digits(.started)
        }
    }

    /// Comparisons remove a final dot of both sides, so none may be left in the name to find.
    private static func hostWithoutFinalDots(_ name: String) -> String {
        var host = HostName.canonical(name)
        while true {
            let shorter = HostName.canonical(host)
            guard shorter.utf8.count < host.utf8.count else { return host }
            host = shorter
        }
    }

    private func match(
        _ field: FilterField, _ target: FilterTarget, _ comparison: FilterOperator,
        _ value: FilterToken.Value
    ) throws(FilterError) -> FilterTextMatch {
        switch comparison {
        case .contains: return .contains(ByteSearch(value.text))
        case .equals where field == .host:
            return .isHost(FilterTestBuilder.hostWithoutFinalDots(value.text))
        case .equals: return .equals(field == .reset ? resetName(value.text) : value.text)
        case .matches: return .regex(try FilterTestBuilder.regex(value, target, ignoresCase: false))
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            throw FilterError(
                column: value.column, "\(field.rawValue) is text: compare it with : = or ~")
        }
    }

    /// Converts a reset code to its name. Codes may be written as numbers or as names in any case.
    private func resetName(_ text: String) -> String {
        let code = HTTP2ErrorCode(name: text) ?? UInt32(text).map(HTTP2ErrorCode.init)
        return code?.description ?? text
    }

    /// Compiles a regular expression; an error reports the column in the filter.
    static func regex(
        _ value: FilterToken.Value, _ target: FilterTarget, ignoresCase: Bool
    ) throws(FilterError) -> LinearRegex {
        let isForBodies =
            switch target {
            case .body, .messages(_, .text), .messages(_, .data): true
            default: false
            }
        return try LinearRegex.parse(value, ignoresCase: ignoresCase, isForBodies: isForBodies)
    }

    // MARK: Few values

    /// A protocol on top of an HTTP version also matches that version: `proto:h2` finds gRPC over
    /// HTTP/2, with and without TLS.
    private func protocolTest(_ value: FilterToken.Value) throws(FilterError) -> FilterExpression {
        let name = value.text.lowercased()
        guard FilterManual.protocols.contains(name) else {
            throw FilterError(
                column: value.column,
                "proto is one of \(FilterManual.protocols.joined(separator: ", "))")
        }
        let spoken = FilterExpression.test(.text(.columns([.spokenProtocol]), .equals(name)))
        guard let version = FilterTestBuilder.versionTest(ExchangeProtocol(rawValue: name)) else {
            return spoken
        }
        return .any([spoken, version])
    }

    private static func versionTest(_ wanted: ExchangeProtocol?) -> FilterExpression? {
        func version(_ lower: HTTPVersion, _ upper: Int64) -> FilterExpression {
            .test(.number(.httpVersion, FilterNumberRange(lower: lower.number, upper: upper)))
        }
        let http2 = version(.http2, HTTPVersion.http2.number)
        switch wanted {
        case .http1: return version(.http10, HTTPVersion.http2.number - 1)
        case .http2: return http2
        case .http3: return version(.http3, HTTPVersion.http3.number)
        case .http2Clear: return .all([http2, .test(.text(.columns([.scheme]), .equals("http")))])
        default: return nil
        }
    }

    /// Tests whether an exchange is pinned. The column is nil if it was never pinned.
    private func pinTest(
        _ comparison: FilterOperator, _ value: FilterToken.Value
    ) throws(FilterError) -> FilterExpression {
        guard comparison == .contains || comparison == .equals,
            let isPinned = FilterTestBuilder.truths[value.text.lowercased()]
        else {
            throw FilterError(
                column: value.column, "pinned is yes or no: write pinned=yes or pinned=no")
        }
        let test = FilterExpression.test(.number(.pinned, FilterNumberRange(lower: 1, upper: 1)))
        return isPinned ? test : .not(test)
    }

    private static let truths = [
        "yes": true, "true": true, "1": true, "no": false, "false": false, "0": false,
    ]

    // MARK: Numbers

    /// Builds a numeric test; nil if the field, or the operator on it, compares text.
    private func numberTest(
        _ field: FilterField, _ comparison: FilterOperator, _ value: FilterToken.Value
    ) -> Result<FilterExpression, FilterError>? {
        guard let column = FilterTestBuilder.numberColumn(of: field) else { return nil }
        let isText = comparison == .contains || comparison == .matches
        let plain: [FilterField] = [
            .id, .port, .status, .receivedStatus, .stream, .messageCount, .webSocketCount,
        ]
        let isPlain = plain.contains(field)
        if isText && isPlain && FilterTestBuilder.statusClass(field, value.text) == nil {
            return nil
        }
        guard let range = range(field, comparison, value.text) else {
            let problem = isText && !isPlain ? .equals : comparison
            return .failure(
                FilterError(
                    column: value.column, complaint(field, comparison: problem, value.text)))
        }
        return .success(.test(.number(column, range)))
    }

    private static func numberColumn(of field: FilterField) -> FilterNumberColumn? {
        switch field {
        case .id: .id
        case .port: .port
        case .status: .status
        case .receivedStatus: .receivedStatus
        case .held: .held
        case .stream: .stream
        case .messageCount: .messageCount
        case .webSocketCount: .webSocketMessageCount
        case .size: .responseSize
        case .reqsize: .requestSize
        case .duration: .duration
        case .time: .started
        default: nil
        }
    }

    private func range(
        _ field: FilterField, _ comparison: FilterOperator, _ text: String
    ) -> FilterNumberRange? {
        switch field {
        case .time:
            guard let time = times.read(text) else { return nil }
            if text.hasPrefix("-"), comparison == .equals { return nil }
            return FilterQuantity.range(from: time.first, to: time.last, comparison)
        case .size, .reqsize:
            guard let size = FilterQuantity(text, units: FilterQuantity.sizeUnits) else {
                return nil
            }
            return FilterQuantity.range(from: size.value, to: size.value, comparison)
        case .duration, .held:
            return FilterQuantity(text, units: FilterQuantity.durationUnits)?.range(comparison)
        default:
            if let hundreds = FilterTestBuilder.statusClass(field, text) {
                let isEqual = comparison == .contains ? .equals : comparison
                // The whole class is above or below: 404 is not greater than 4xx.
                let isLast = comparison == .greater || comparison == .lessOrEqual
                let first = isLast ? hundreds + 99 : hundreds
                return FilterQuantity.range(from: first, to: hundreds + 99, isEqual)
            }
            guard let number = Int64(text) else { return nil }
            return FilterQuantity.range(from: number, to: number, comparison)
        }
    }

    private func complaint(
        _ field: FilterField, comparison: FilterOperator, _ text: String
    ) -> String {
        let name = field.rawValue
        return switch field {
        case .time:
            "\(name) takes < <= > >= or = and a time such as 2026-11-20T10:00 or -15m"
                + (text.hasPrefix("-") ? " (with = only an absolute time)" : "")
        case .size, .reqsize: "\(name) takes = < <= > >= and a size such as 10k or 2M"
        case .duration, .held: "\(name) takes = < <= > >= and a duration such as 250ms or 1.5s"
        case .id: "\(name) takes a whole number, or STORE:NUMBER of a central store"
        default: "\(name) takes a whole number"
        }
    }

    /// Returns 400 for the status `4xx`.
    private static func statusClass(_ field: FilterField, _ text: String) -> Int64? {
        guard field == .status || field == .receivedStatus, text.utf8.count == 3,
            text.lowercased().hasSuffix("xx")
        else { return nil }
        return text.first?.wholeNumberValue.map { Int64($0) * 100 }
    }

    /// Builds a test for `id=STORE:NUMBER`: the store has that name, and the comparison holds for
    /// the number. nil if the value names no store.
    func nameTest(_ comparison: FilterOperator, _ value: FilterToken.Value) -> FilterExpression? {
        guard let name = ExchangeName(value.text), let store = name.storeName,
            let number = numberTest(name.number, comparison)
        else { return nil }
        return .all([.test(.text(.columns([.store]), .equals(store))), .test(number)])
    }

    private func numberTest(_ number: Int64, _ comparison: FilterOperator) -> FilterTest? {
        if comparison == .contains {
            return .text(.digits(.id), .contains(ByteSearch(String(number))))
        }
        return FilterQuantity.range(from: number, to: number, comparison).map { .number(.id, $0) }
    }

    // MARK: Message fields whose values are numbers with names

    /// Builds the test of `ws.close`, which takes a whole close code.
    func closeTest(
        _ comparison: FilterOperator, _ value: FilterToken.Value
    ) throws(FilterError) -> FilterExpression {
        let isEqual = comparison == .contains ? .equals : comparison
        if comparison == .contains, value.text.isEmpty { return .test(.closeCode(.init())) }
        guard let code = Int64(value.text),
            let range = FilterQuantity.range(from: code, to: code, isEqual)
        else {
            throw FilterError(column: value.column, "ws.close takes a code such as 1000 or 1006")
        }
        return .test(.closeCode(range))
    }

    /// Builds the test of `grpc.status` for a number or name; nil if it compares text.
    func grpcStatusTest(
        _ comparison: FilterOperator, _ value: FilterToken.Value
    ) throws(FilterError) -> FilterExpression? {
        if comparison == .matches { return nil }
        let status = GRPCStatus(name: value.text)?.number ?? Int64(value.text)
        let isEqual = comparison == .contains ? .equals : comparison
        if let status, let range = FilterQuantity.range(from: status, to: status, isEqual) {
            return .test(.number(.grpcStatus, range))
        }
        if comparison == .contains { return nil }
        let near = NearNames.of(value.text.uppercased(), among: GRPCStatus.defined.map(\.name))
        throw FilterError(
            column: value.column,
            "grpc.status takes a name such as NOT_FOUND or a number"
                + (near.isEmpty ? "" : ": \(near.joined(separator: " or "))?"))
    }
}

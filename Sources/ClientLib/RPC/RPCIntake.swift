internal import ProxydContentCoding
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import Synchronization

/// Splits a call's response into messages and the final status.
final class RPCIntake: BodyConsumer {
    private struct State {
        var decoder: PrefixedMessageDecoder
        var codings: [Coding] = []
        var call: (any TransportCall)?
        var head: ResponseHead?
        var trailers: HeaderFields?
        var hasGiven = false
    }

    let messages = Handoff<[UInt8]>()
    private let messageByteCountMax: Int
    private let state: Mutex<State>

    let wantsPiecesAtOnce = true
    let isValidatedAtHead = true
    /// A call is not retried after a message has been delivered.
    var isRetryable: Bool { state.withLock { !$0.hasGiven } }

    init(messageByteCountMax: Int) {
        self.messageByteCountMax = messageByteCountMax
        state = Mutex(
            State(decoder: PrefixedMessageDecoder(messageByteCountMax: messageByteCountMax)))
    }

    var trailers: HeaderFields? { state.withLock { $0.trailers } }
    var status: RPCStatus? { trailers.flatMap { RPCStatus($0) } }

    func begin(over call: any TransportCall) { state.withLock { $0.call = call } }

    func begin(_ head: ResponseHead, isIdentity: Bool) async throws(ClientError) {
        guard head.status == 200 else {
            throw ClientError(.responseValidationFailed(.unacceptableStatusCode(code: head.status)))
        }
        guard MessageFraming(head.fields) == .grpc else {
            let actual = head.fields.value(.contentType) ?? ""
            throw ClientError(
                .responseValidationFailed(
                    .unacceptableContentType(acceptable: ["application/grpc"], actual: actual)))
        }
        let codings: [Coding]
        do throws(ContentCodingError) {
            codings = try Coding.list(head.fields["grpc-encoding"] ?? "")
        } catch {
            throw ClientError(.decodingFailed(error))
        }
        let limit = messageByteCountMax
        state.withLock { state in
            state.head = head
            state.codings = codings
            state.trailers = nil
            state.decoder = PrefixedMessageDecoder(messageByteCountMax: limit)
        }
    }

    func take(_ bytes: [UInt8]) async throws(ClientError) {
        var found: [PrefixedMessage] = []
        do throws(PrefixedMessageDecoder.Failure) {
            try state.withLock { state throws(PrefixedMessageDecoder.Failure) in
                try state.decoder.receive(bytes.span, into: &found)
            }
        } catch {
            throw tooLarge
        }
        for message in found {
            let content = try content(of: message)
            state.withLock { $0.hasGiven = true }
            guard await messages.give(content) else { throw ClientError(.explicitlyCancelled) }
        }
    }

    func finish(_ completion: inout RequestOutcome) async throws(ClientError) {
        // A call that failed before its first message has its trailers in the head (Trailers-Only).
        let (trailers, isTruncated) = state.withLock { state in
            state.trailers = state.call?.report.trailers ?? state.head?.fields
            return (state.trailers, (try? state.decoder.finish()) == nil)
        }
        guard let status = trailers.flatMap({ RPCStatus($0) }) else {
            throw ClientError(.rpcFailed(RPCStatus(GRPCStatus(2), message: "no status")))
        }
        guard status.isOK else { throw ClientError(.rpcFailed(status)) }
        if isTruncated { throw ClientError(.network(.closedEarly), phase: .receive) }
    }

    func end(_ error: ClientError?) { messages.end(error) }

    private var tooLarge: ClientError { ClientError(.messageTooLarge(limit: messageByteCountMax)) }

    /// The message, decompressed if necessary.
    private func content(of message: PrefixedMessage) throws(ClientError) -> [UInt8] {
        guard message.prefix.isCompressed else { return message.payload }
        let codings = state.withLock { $0.codings }
        // A compressed message without a declared encoding violates the protocol.
        guard !codings.isEmpty else {
            throw ClientError(.rpcFailed(RPCStatus(GRPCStatus(13), message: "no grpc-encoding")))
        }
        do throws(ContentCodingError) {
            let limits = DecodingLimits(decodedByteCountMax: messageByteCountMax)
            let decoder = try ContentDecoder(codings, limits: limits)
            var content: [UInt8] = []
            try decoder.decode(message.payload.span, into: &content)
            try decoder.finish()
            return content
        } catch .overLimit {
            throw tooLarge
        } catch {
            throw ClientError(.decodingFailed(error))
        }
    }
}

import ClientLib
import Foundation
import ProxydClientTestSupport
import ProxydTestSupport
import Synchronization
import Testing

/// Files, uploads, compression, connections and TLS of nginx.
@Suite(.enabled(if: NginxServer.isInstalled, "nginx and openssl are installed"))
struct NginxTests {
    private let session = Session()
    private let server: NginxServer

    init() async throws { server = try await NginxServer.shared() }

    private static let big = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 5) }

    @Test func `a HEAD request to nginx returns the length of a file, and a GET its content`()
        async throws
    {
        let url = try server.serve(Self.big, as: "whole.bin")
        let head = await session.request(url, method: .head).serializingResponse().response
        #expect(head.response?.fields["Content-Length"] == "\(Self.big.count)")
        #expect(head.data == nil)
        #expect(try await session.request(url).serializingData().value == Self.big)
    }

    @Test func `a conditional request for an unchanged file gets a 304`() async throws {
        let url = try server.serve([1, 2, 3], as: "conditional.bin")
        let first = await session.request(url).serializingData().response
        let fields = try #require(first.response?.fields)
        for (name, validator) in [
            ("If-None-Match", fields["ETag"]), ("If-Modified-Since", fields["Last-Modified"]),
        ] {
            let value = try #require(validator)
            let again = await session.request(url, headers: HeaderFields([(name, value)]))
                .serializingResponse().response
            #expect(again.response?.status == 304)
            #expect(again.data == nil)
        }
    }

    @Test func `a response that nginx compresses with gzip is decompressed`() async throws {
        let text = Array(String(repeating: "all work and no play\n", count: 5_000).utf8)
        try server.serve(text, as: "text.txt")
        var configuration = SessionConfiguration()
        configuration.recordsBodies = true
        let session = Session(configuration: configuration)
        let response = await session.request(server.url + "/text/text.txt").serializingData()
            .response
        #expect(try response.result.get() == text)
        #expect(response.response?.fields["Content-Encoding"] == "gzip")
        let body = try #require(response.exchanges.first?.response?.body)
        #expect(body.byteCount < Int64(text.count / 10))
    }

    @Test func `a cancelled download from nginx is resumed with a range request`() async throws {
        let url = try server.serve(Self.big, as: "resumed.bin", at: "slow")
        let data = try await cancelledDownload(url)
        #expect(data.byteCount > 0)
        #expect(data.byteCount < Self.big.count)
        let scratch = try ScratchFolder()
        let target = scratch.url.appending(path: "resumed.bin")
        let response = await session.download(
            resumingWith: data, to: { _, _ in (target, .removePreviousFile) }
        ).validate().serializingDownloadedFileURL().response
        #expect(response.response?.status == 206)
        #expect(target.bytes == Self.big)
    }

    @Test func `a resumed download from nginx starts over if the file has changed`()
        async throws
    {
        let url = try server.serve(Self.big, as: "changed.bin", at: "slow")
        let data = try await cancelledDownload(url)
        let changed = Array(Self.big.reversed())
        try server.serve(changed + [1], as: "changed.bin")
        let scratch = try ScratchFolder()
        let target = scratch.url.appending(path: "changed.bin")
        let response = await session.download(
            resumingWith: data, to: { _, _ in (target, .removePreviousFile) }
        ).validate().serializingDownloadedFileURL().response
        #expect(response.response?.status == 200)
        #expect(target.bytes == changed + [1])
    }

    /// What a download leaves that is cancelled when its first bytes came.
    private func cancelledDownload(_ url: String) async throws -> DownloadResumeData {
        let request = session.download(url)
        request.downloadProgress { [weak request] _ in
            request?.cancel(producingResumeData: true)
        }
        let response = await request.serializingDownloadedFileURL().response
        #expect(response.error?.kind == .explicitlyCancelled)
        return try #require(response.resumeData)
    }

    @Test(arguments: ["bytes", "file", "replayable stream"])
    func `a retry after a 503 sends the request body again`(kind: String) async throws {
        let path = "/gated/\(kind.prefix(1)).bin"
        let scratch = try ScratchFolder()
        let body: HTTPBody =
            switch kind {
            case "bytes": .bytes(Self.big)
            case "file": .file(path: try scratch.file("body", Self.big).path)
            default: .stream(BodyStream { OnePiece(Self.big) })
            }
        let request = session.upload(
            body, to: server.url + path, method: .put,
            interceptor: GateOpener { try server.open(path) }
        ).validate()
        let response = await request.serializingResponse().response
        #expect(response.exchanges.map { $0.response?.head.status } == [503, 201])
        #expect(request.retryCount == 1)
        #expect(server.uploaded(path) == Self.big)
    }

    /// Does what makes the next attempt succeed, and asks for it.
    private struct GateOpener: RequestInterceptor {
        let open: @Sendable () throws -> Void

        func retry(
            _ request: any ClientRequest, for session: Session, dueTo error: ClientError
        ) async -> RetryResult {
            guard request.retryCount == 0, (try? open()) != nil else { return .doNotRetry }
            return .retry
        }
    }

    @Test func `a redirect to the same URL is reported as a loop`() async throws {
        let response = await session.request(server.url + "/loop").serializingResponse().response
        #expect(response.error?.kind == .redirectFailed(.loop))
    }

    @Test(arguments: [false, true])
    func `the next request reuses the connection, and its timeline reports the reuse`(
        isSecure: Bool
    ) async throws {
        var configuration = SessionConfiguration()
        configuration.trustedAuthorities = .files([server.certificatePath])
        let session = Session(configuration: configuration)
        let url = (isSecure ? server.secureURL : server.url) + "/number/1"
        let first = await session.request(url).serializingData().response
        let second = await session.request(url).serializingData().response
        let timelines = try [first, second].map { try #require($0.timeline.attempts.first) }
        #expect(timelines.map(\.connectionReused) == [false, true])
        #expect((timelines[0][.tlsEnd] != nil) == isSecure)
        #expect(timelines[1][.connectStart] == nil)
        #expect(
            first.response?.fields["X-Connection"] == second.response?.fields["X-Connection"])
    }

    @Test func `a certificate from an unknown CA makes the TLS handshake fail`() async throws {
        let error = await session.request(server.secureURL + "/number/1").serializingData()
            .response.error
        #expect(error?.kind == .network(.certificate))
        #expect(error?.phase == .tls)
    }
}

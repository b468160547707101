import ProxydCurlCommand
import ProxydHTTPModel
import Testing

/// Calls of gRPC as grpcurl commands.
struct GRPCurlCommandTests {
    private func command(
        _ fields: [(name: String, value: String)] = [], url: RawURL? = nil,
        messages: [String] = ["{}"]
    ) throws -> GRPCurlCommand {
        let url =
            url
            ?? RawURL(
                scheme: "http", host: "h.test", port: 50_051, origin: Array("/a.B/C".utf8))
        let head = RequestHead(
            method: .post, target: url.origin,
            fields: HeaderFields([(name: "Host", value: "h.test")] + fields))
        let request = Request(url: url, head: head, body: Body([]))
        return try #require(GRPCurlCommand(request, method: "a.B/C", messages: messages))
    }

    @Test func `a grpcurl command has the server, method, metadata and messages of the call`()
        throws
    {
        let command = try command(
            [
                ("content-type", "application/grpc"), ("TE", "trailers"),
                ("User-Agent", "grpc-go/1.2"), ("grpc-timeout", "1500m"),
                ("grpc-accept-encoding", "gzip"), ("X-Key", "it's"), ("trace-bin", "AAE="),
            ], messages: [#"{"a":1}"#, #"{"a":2}"#])
        #expect(
            command.text(.oneLine)
                == "grpcurl -plaintext -user-agent 'grpc-go/1.2' -max-time 1.5 "
                + #"-H 'x-key: it'\''s' -H 'trace-bin: AAE=' -d '{"a":1}"# + "\n"
                + #"{"a":2}' 'h.test:50051' 'a.B/C'"#)
        #expect(command.omittedFields.isEmpty)
    }

    @Test
    func `a grpcurl command for a TLS server has no TLS flag, and IPv6 addresses are in brackets`()
        throws
    {
        let url = RawURL(
            scheme: "https", host: "::1", port: 443, origin: Array("/a.B/C".utf8))
        #expect(
            try command(url: url, messages: []).text(.oneLine) == "grpcurl '[::1]:443' 'a.B/C'")
    }

    @Test(arguments: [
        ("1H", "3600"), ("2M", "120"), ("3S", "3"), ("20m", "0.02"), ("1000m", "1"),
        ("1u", "0.000001"), ("99999999n", "0.099999999"), ("0S", "0"),
    ])
    func `a gRPC timeout is written in seconds in a grpcurl command`(
        timeout: String, seconds: String
    ) throws {
        let text = try command([("grpc-timeout", timeout)]).text(.oneLine)
        #expect(text.contains(" -max-time \(seconds) "))
    }

    @Test(arguments: ["", "S", "1", "1s", "-1S", "123456789S", "1 S", "x"])
    func `an invalid gRPC timeout is omitted from a grpcurl command`(timeout: String) throws {
        #expect(!(try command([("grpc-timeout", timeout)]).text(.oneLine).contains("-max-time")))
    }

    @Test func `a grpcurl command passes long messages through standard input`() throws {
        let long = "{\"a\":\"" + String(repeating: "x", count: 70_000) + "\"}"
        let text = try command(messages: [long]).text(.oneLine)
        #expect(text.hasPrefix("printf '%s' '{\"a\":\"xxx"))
        #expect(text.hasSuffix(" | grpcurl -plaintext -d @ 'h.test:50051' 'a.B/C'"))
    }

    @Test(.enabled(if: Shell.areThere, Shell.absence), arguments: Shell.allCases)
    func `shells pass each word of a grpcurl command unchanged`(shell: Shell) throws {
        let message = #"{"name":"it's \u0007 $HOME `id` \"x\" \\"}"#
        let value = "a'b\"c$(id)\u{E9}; rm -rf /"
        let command = try command([("X-Word", value)], messages: [message])
        for layout in [CurlLayout.oneLine, .multiLine] {
            let script = "grpcurl() { printf '%s\\0' \"$@\"; }\n" + command.text(layout)
            let words = try shell.output(of: script)
                .split(separator: 0, omittingEmptySubsequences: false).dropLast()
                .map { String(decoding: $0, as: UTF8.self) }
            #expect(
                words == [
                    "-plaintext", "-H", "x-word: \(value)", "-d", message, "h.test:50051", "a.B/C",
                ])
        }
    }
}

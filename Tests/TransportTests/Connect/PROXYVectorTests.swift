import ProxydEventLoops
import ProxydHTTPWire
import ProxydTestSupport
import ProxydTransport
import Testing

/// PROXY headers as the shared vectors have them, down to the addresses of sockets.
struct PROXYVectorTests {
    private struct Vectors: Decodable {
        let proxy_protocol: [Vector]
    }

    private struct Vector: Decodable {
        let id: String
        let bytes: String
        let client: String?
        let destination: String?
        let error: String?
        let rest: String

        private enum CodingKeys: String, CodingKey {
            case id, client, destination, error, rest
            case bytes = "octets"
        }
    }

    private func text(_ endpoint: PROXYAddresses.Endpoint) -> String {
        SocketAddress(endpoint).description
    }

    @Test(.enabled(if: RuleVectorFile.isThere, "the shared vectors are not there"))
    func `each shared test vector of a PROXY header is parsed as expected`() throws {
        let vectors = try #require(try RuleVectorFile.read(Vectors.self)).proxy_protocol
        #expect(vectors.count >= 16)
        let errors: [String: PROXYHeaderError] = [
            "port": .badPort, "line end": .badLineEnd, "form": .badForm, "version": .badVersion,
            "command": .badCommand, "no PROXY header": .noHeader,
        ]
        for vector in vectors {
            let bytes = RuleVectorFile.bytes(hex: vector.bytes)
            let reading = Result { () throws(PROXYHeaderError) in
                try PROXYHeader.read(bytes.span)
            }
            switch reading {
            case .success(.header(let header, let byteCount)):
                #expect(vector.error == nil, "\(vector.id)")
                let addresses = header.addresses
                #expect(addresses.map { text($0.source) } == vector.client, "\(vector.id)")
                #expect(
                    addresses.map { text($0.destination) } == vector.destination, "\(vector.id)")
                #expect(
                    Array(bytes[byteCount...]) == RuleVectorFile.bytes(hex: vector.rest),
                    "\(vector.id)")
            case .success(.needsMoreInput): Issue.record("\(vector.id)")
            case .failure(let error):
                #expect(errors[vector.error ?? ""] == error, "\(vector.id)")
            }
        }
    }

    @Test(arguments: ["192.0.2.1", "2001:db8::1:0:2", "::", "255.255.255.255"])
    func `a socket address converted to a PROXY header endpoint and back is unchanged`(ip: String)
        throws
    {
        let address = try #require(SocketAddress(ip: ip, port: 65_535))
        let endpoint = try #require(PROXYAddresses.Endpoint(address))
        #expect(SocketAddress(endpoint) == address)
        #expect(PROXYAddresses.Endpoint(SocketAddress.unix) == nil)
    }
}

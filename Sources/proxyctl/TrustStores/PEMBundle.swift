internal import FoundationEssentials

/// Reads the certificates of a PEM file (RFC 7468); anything else in it is ignored.
enum PEMBundle {
    /// The certificates in DER, in order.
    static func certificates(in bytes: [UInt8]) -> [[UInt8]] {
        var certificates: [[UInt8]] = []
        var base64: [UInt8]?
        for line in bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            if isMark(line, "-----BEGIN CERTIFICATE-----")
                || isMark(line, "-----BEGIN TRUSTED CERTIFICATE-----")
            {
                base64 = []
            } else if line.starts(with: "-----".utf8) {
                if let text = base64, let der = decode(text) { certificates.append(der) }
                base64 = nil
            } else {
                base64?.append(contentsOf: line)
            }
        }
        return certificates
    }

    private static func isMark(_ line: ArraySlice<UInt8>, _ mark: String) -> Bool {
        line.starts(with: mark.utf8)
    }

    private static func decode(_ base64: [UInt8]) -> [UInt8]? {
        Data(base64Encoded: Data(base64), options: .ignoreUnknownCharacters).map { [UInt8]($0) }
    }
}

internal import Glibc
internal import ProxydCCrypt

/// The hash of a password in the format of crypt(5), by a method that is accepted.
public struct PasswordHash: Sendable, Hashable {
    /// The methods that are accepted: those that make guessing expensive.
    public enum Method: String, Sendable, Hashable, CaseIterable {
        /// `$2a$`, `$2b$`, `$2y$`.
        case bcrypt
        /// `$y$`.
        case yescrypt
        /// `$7$`.
        case scrypt
        /// `$6$`.
        case sha512 = "SHA-512"
    }

    public struct Refusal: Error, Sendable, Hashable {
        public let message: String
    }

    /// The most bytes of a password; libcrypt refuses longer ones.
    public static let passwordByteCountMax = 511
    private static let byteCountMax = 383

    public let method: Method
    public let text: String

    public init(_ text: String) throws(Refusal) {
        guard let method = PasswordHash.method(of: text) else {
            throw Refusal(message: PasswordHash.reason(against: text))
        }
        guard text.utf8.count <= PasswordHash.byteCountMax,
            text.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }),
            PasswordHash.hasDigest(text, method), crypt_checksalt(text) != CRYPT_SALT_INVALID
        else { throw Refusal(message: "this is not a complete \(method.rawValue) hash") }
        guard PasswordHash.isAffordable(text, method) else {
            throw Refusal(message: "checking this \(method.rawValue) hash would take too long")
        }
        self.method = method
        self.text = text
    }

    /// The hash of no known password, with the cost that new hashes have.
    static let unmatched = PasswordHash(
        unchecked: .yescrypt, "$y$j9T$aJoZ8YhfO1fTUf7AaKcvX.$" + String(repeating: ".", count: 43))

    private init(unchecked method: Method, _ text: String) {
        self.method = method
        self.text = text
    }

    // MARK: Checking

    /// Whether a password has this hash. Takes some hundredths of a second, or longer if the hash
    /// asks for it.
    public func matches(_ password: [UInt8]) -> Bool {
        guard let found = PasswordHash.crypt(password, setting: text) else { return false }
        return PasswordHash.areSame(found, Array(text.utf8))
    }

    /// The hash of a password by yescrypt with a new salt; nil if the password is empty, too long
    /// or has a NUL.
    public static func make(of password: [UInt8]) -> PasswordHash? {
        guard !password.isEmpty, isHashable(password) else { return nil }
        var setting = [CChar](repeating: 0, count: Int(CRYPT_GENSALT_OUTPUT_SIZE))
        // Without random bytes it takes those of the system.
        guard crypt_gensalt_rn("$y$", 0, nil, 0, &setting, Int32(setting.count)) != nil,
            let text = setting.withUnsafeBufferPointer({ bytes in
                bytes.baseAddress.flatMap { crypt(password, setting: String(cString: $0)) }
            })
        else { return nil }
        return try? PasswordHash(String(decoding: text, as: UTF8.self))
    }

    private static func isHashable(_ password: [UInt8]) -> Bool {
        password.count <= passwordByteCountMax && !password.contains(0)
    }

    /// Returns nil if the library refuses. A password that cannot be hashed is replaced by another
    /// one, so that it takes as long.
    private static func crypt(_ password: [UInt8], setting: String) -> [UInt8]? {
        let isHashable = isHashable(password)
        var phrase = isHashable ? password : [0x78]
        phrase.append(0)
        let room = UnsafeMutableRawPointer.allocate(
            byteCount: MemoryLayout<crypt_data>.size, alignment: MemoryLayout<crypt_data>.alignment)
        room.initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<crypt_data>.size)
        defer {
            explicit_bzero(room, MemoryLayout<crypt_data>.size)
            room.deallocate()
        }
        defer {
            phrase.withUnsafeMutableBytes { bytes in
                if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
            }
        }
        let found: [UInt8]? = phrase.withUnsafeBytes { phrase in
            guard
                let hash = crypt_rn(
                    phrase.bindMemory(to: CChar.self).baseAddress, setting, room,
                    Int32(MemoryLayout<crypt_data>.size))
            else { return nil }
            return Array(UnsafeBufferPointer(start: hash, count: strlen(hash)))
                .map { UInt8(bitPattern: $0) }
        }
        return isHashable ? found : nil
    }

    /// Compares in a time that does not depend on where they differ.
    private static func areSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        var difference: UInt8 = 0
        for index in one.indices { difference |= one[index] ^ other[index] }
        return difference == 0
    }

    // MARK: Reading

    private static func method(of text: String) -> Method? {
        switch text.split(separator: "$", omittingEmptySubsequences: false).dropFirst().first {
        case "2a", "2b", "2y": .bcrypt
        case "y": .yescrypt
        case "7": .scrypt
        case "6": .sha512
        default: nil
        }
    }

    /// Whether the part that depends on the password has the right length; the library examines
    /// only what precedes it.
    private static func hasDigest(_ text: String, _ method: Method) -> Bool {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        let last = parts.last ?? ""
        let isFirstPartEmpty = text.hasPrefix("$")
        let (partCount, byteCount) =
            switch method {
            case .bcrypt: (4, 53)
            case .yescrypt: (5, 43)
            case .scrypt: (4, 43)
            case .sha512: (parts.count == 5 ? 5 : 4, 86)
            }
        return isFirstPartEmpty && parts.count == partCount && last.utf8.count == byteCount
            && last.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: false
                }
            }
    }

    /// Whether a check takes seconds at most. The costs of yescrypt and scrypt are bounded by the
    /// library's memory limits.
    private static func isAffordable(_ text: String, _ method: Method) -> Bool {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        switch method {
        case .bcrypt: return Int(parts[2]).map { $0 <= 15 } ?? false
        case .sha512:
            guard parts[2].hasPrefix("rounds=") else { return true }
            return Int(parts[2].dropFirst(7)).map { $0 <= 5_000_000 } ?? false
        case .yescrypt, .scrypt: return true
        }
    }

    private static func reason(against text: String) -> String {
        let name: String
        if text.hasPrefix("$apr1$") {
            name = "apr1 (MD5)"
        } else if text.hasPrefix("$1$") || text.hasPrefix("$md5") {
            name = "MD5"
        } else if text.hasPrefix("{SHA}") || text.hasPrefix("{SSHA}") || text.hasPrefix("$sha1$") {
            name = "SHA-1"
        } else if text.hasPrefix("$5$") {
            name = "SHA-256"
        } else if text.hasPrefix("$argon2") {
            name = "Argon2, which the system's libcrypt does not have,"
        } else if text.hasPrefix("$") || text.hasPrefix("{") || text.hasPrefix("_") {
            name = "a hash of this kind"
        } else if text.utf8.count == 13 {
            name = "crypt (DES) or a password in plain text"
        } else {
            name = "a password in plain text"
        }
        return "\(name) is not accepted: use `proxyctl user add` or `htpasswd -B`, or another "
            + "program that makes bcrypt, yescrypt, scrypt or SHA-512 hashes"
    }
}

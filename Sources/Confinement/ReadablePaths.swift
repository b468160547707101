internal import Glibc
internal import ProxydCLinuxConfinement

/// The paths that may be read, except one hidden place.
///
/// Landlock allows access to whole directories. If a directory contains the hidden place, its other
/// entries are allowed one by one instead; entries created later are not.
struct ReadablePaths {
    /// The paths that are allowed.
    private(set) var paths: [String] = []
    private let hidden: String?

    /// Creates the list from existing paths, without the hidden place.
    init(_ wanted: [String], hiding hidden: String) {
        self.hidden = ReadablePaths.resolved(hidden)
        for path in wanted {
            if let path = ReadablePaths.resolved(path) { add(path) }
        }
    }

    private mutating func add(_ path: String) {
        guard let hidden else { return paths.append(path) }
        if ReadablePaths.isInside(path, hidden) { return }
        guard ReadablePaths.isInside(hidden, path) else { return paths.append(path) }
        for name in ReadablePaths.names(in: path) {
            let entry = path == "/" ? "/\(name)" : "\(path)/\(name)"
            // A link may lead to the hidden place; other targets are allowed under their own names.
            if !ReadablePaths.isLink(entry) { add(entry) }
        }
    }

    /// Whether a path equals a folder or is inside it; both without links.
    static func isInside(_ path: String, _ folder: String) -> Bool {
        path == folder || folder == "/" || path.hasPrefix(folder + "/")
    }

    /// A path with its links resolved, or nil if it does not exist.
    static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFLNK
    }

    private static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

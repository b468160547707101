internal import Glibc
internal import ProxydCLinuxConfinement

/// Paths that may be read, with one place among them that may not.
///
/// Landlock opens folders whole. Where one has the hidden place in it, what lies beside that is
/// opened instead, one by one; what is made there later is not.
struct ReadablePaths {
    /// What is opened.
    private(set) var paths: [String] = []
    private let hidden: String?

    /// The paths that are there, without what is hidden.
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
            // A link may lead to what is hidden; where else it leads is opened by that name.
            if !ReadablePaths.isLink(entry) { add(entry) }
        }
    }

    /// Whether a path is another one or lies in it; both without links.
    static func isInside(_ path: String, _ folder: String) -> Bool {
        path == folder || folder == "/" || path.hasPrefix(folder + "/")
    }

    /// A path without links; nil where there is nothing.
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

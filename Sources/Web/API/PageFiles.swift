/// The files of the page, which are part of the program: nothing has to be installed beside it.
enum PageFiles {
    /// The document at `/`.
    static let index = PackageResources.index_html

    /// The scripts and styles at `/page/NAME`, by their names. A test compares the list with the
    /// folder.
    static let named: [String: [UInt8]] = [
        "annotations.js": PackageResources.annotations_js,
        "api.js": PackageResources.api_js,
        "body-view.js": PackageResources.body_view_js,
        "clipboard.js": PackageResources.clipboard_js,
        "columns.js": PackageResources.columns_js,
        "completion.js": PackageResources.completion_js,
        "composer.js": PackageResources.composer_js,
        "dialog.js": PackageResources.dialog_js,
        "dom.js": PackageResources.dom_js,
        "events.js": PackageResources.events_js,
        "exchange-actions.js": PackageResources.exchange_actions_js,
        "exchange-list.js": PackageResources.exchange_list_js,
        "exchange-view.js": PackageResources.exchange_view_js,
        "filter-bar.js": PackageResources.filter_bar_js,
        "format.js": PackageResources.format_js,
        "json-text.js": PackageResources.json_text_js,
        "json-tree.js": PackageResources.json_tree_js,
        "lines.js": PackageResources.lines_js,
        "list-headings.js": PackageResources.list_headings_js,
        "list-rows.js": PackageResources.list_rows_js,
        "list-scroll.js": PackageResources.list_scroll_js,
        "memory.js": PackageResources.memory_js,
        "menu.js": PackageResources.menu_js,
        "notices.js": PackageResources.notices_js,
        "pairs.js": PackageResources.pairs_js,
        "parameters.js": PackageResources.parameters_js,
        "row-pages.js": PackageResources.row_pages_js,
        "rows.js": PackageResources.rows_js,
        "state.js": PackageResources.state_js,
        "tab-changes.js": PackageResources.tab_changes_js,
        "tab-message.js": PackageResources.tab_message_js,
        "tab-messages.js": PackageResources.tab_messages_js,
        "tab-overview.js": PackageResources.tab_overview_js,
        "tab-security.js": PackageResources.tab_security_js,
        "tab-timing.js": PackageResources.tab_timing_js,
        "tabs.js": PackageResources.tabs_js,
        "token.js": PackageResources.token_js,
        "waterfall.js": PackageResources.waterfall_js,
    ]
}

/// The partitions, one for each day.
extension CentralSchema {
    static let partitions = makeDay("CREATE") + rest

    /// The function that makes the tables of a day.
    /// - Parameter create: `CREATE`, or `CREATE OR REPLACE` where the function is there already.
    static func makeDay(_ create: String) -> String {
        """
        \(create) FUNCTION make_day(day date) RETURNS boolean
        LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET TimeZone = 'UTC' AS $$
        DECLARE
          parent text;
          part text;
          oldest date := current_date - 3653;
          newest date := current_date + 7;
        BEGIN
          IF to_regclass(format('exchange_%s', to_char(day, 'YYYYMMDD'))) IS NOT NULL THEN
            RETURN false;
          END IF;
          -- The database belongs to other teams, too. Clocks may be wrong: some days are made far
          -- from now, but not all. An exchange without a day is rejected alone, while an error
          -- here would end a shipper that prepares the day of its clock.
          IF day NOT BETWEEN '1677-09-21' AND '2262-04-11' OR day NOT BETWEEN oldest AND newest
            AND 100 <= (
              SELECT count(*) FROM pg_catalog.pg_inherits
                JOIN pg_catalog.pg_class child ON child.oid = inhrelid
              WHERE inhparent = 'exchange'::regclass AND right(child.relname, 8)
                NOT BETWEEN to_char(oldest, 'YYYYMMDD') AND to_char(newest, 'YYYYMMDD'))
          THEN
            RETURN false;
          END IF;
          IF abs(day - current_date) > 1 AND 600 <= (
            SELECT count(*) FROM pg_catalog.pg_inherits
            WHERE inhparent = 'exchange'::regclass AND pg_catalog.pg_relation_size(inhrelid) = 0)
          THEN
            RAISE EXCEPTION 'the day % cannot be made while 600 days are empty', day
              USING ERRCODE = 'configuration_limit_exceeded';
          END IF;
          PERFORM pg_advisory_xact_lock(hashtext(current_schema() || '.make_day'));
          FOREACH parent IN ARRAY ARRAY[\(dailyTables.map { "'\($0)'" }.joined(separator: ", "))]
          LOOP
            part := parent || '_' || to_char(day, 'YYYYMMDD');
            CONTINUE WHEN to_regclass(part) IS NOT NULL;
            BEGIN
              -- Attaching waits for no reader, as making a partition would.
              EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', part, parent);
              EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                parent, part, day, day + 1);
            EXCEPTION WHEN duplicate_table THEN
              -- Another shipper made it a moment ago.
              NULL;
            END;
          END LOOP;
          RETURN true;
        END $$;

        """
    }

    private static let rest = """
        CREATE FUNCTION drop_days(before date) RETURNS integer
        LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '500ms'
        SET TimeZone = 'UTC' AS $$
        DECLARE
          part name;
          parts name[];
        BEGIN
          -- First all, because a table that is being read cannot be dropped.
          SELECT coalesce(array_agg(child.relname), '{}') INTO parts
          FROM pg_catalog.pg_inherits
              JOIN pg_catalog.pg_class child ON child.oid = inhrelid
              JOIN pg_catalog.pg_class parent ON parent.oid = inhparent
            WHERE parent.relnamespace = current_schema()::regnamespace
              AND parent.relname = ANY (ARRAY[\(
                dailyTables.map { "'\($0)'" }.joined(separator: ", "))])
              AND right(child.relname, 8) < to_char(before, 'YYYYMMDD')
              AND NOT EXISTS (
                SELECT 1 FROM exchange WHERE pinned
                  AND started_at >= to_date(right(child.relname, 8), 'YYYYMMDD')
                  AND started_at < to_date(right(child.relname, 8), 'YYYYMMDD') + 1);
          FOREACH part IN ARRAY parts
          LOOP
            DELETE FROM body_index WHERE to_char(day, 'YYYYMMDD') = right(part, 8);
            EXECUTE format('DROP TABLE %I', part);
          END LOOP;
          RETURN cardinality(parts);
        END $$;
        CREATE FUNCTION make_body_key(day date) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
        DECLARE
          part text := 'body_text_' || to_char(day, 'YYYYMMDD');
          place text;
        BEGIN
          SELECT nspname INTO place FROM pg_catalog.pg_extension e
            JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE extname = 'pg_trgm';
          IF place IS NOT NULL THEN
            EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %I USING gin (text %I.gin_trgm_ops)',
              part || '_key', part, place);
          END IF;
          EXECUTE format('ANALYZE %I', part);
        END $$;
        CREATE FUNCTION drop_body_key(day date) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
        DECLARE
          part text := 'body_text_' || to_char(day, 'YYYYMMDD');
        BEGIN
          EXECUTE format('DROP INDEX IF EXISTS %I', part || '_key');
          EXECUTE format('TRUNCATE %I', part);
        END $$;

        """

    /// The URL of a row of `exchange` as in `list --json`, as an expression that can be indexed.
    package static let url = """
        (exchange.scheme || '://' \
        || CASE WHEN position(':' in exchange.host) > 0 THEN '[' || exchange.host || ']' \
        ELSE exchange.host END \
        || CASE WHEN exchange.port = CASE exchange.scheme WHEN 'https' THEN 443 \
        WHEN 'http' THEN 80 END THEN '' ELSE ':' || exchange.port END \
        || CASE WHEN exchange.path = '*' AND exchange.query IS NULL THEN '' \
        ELSE exchange.path END \
        || coalesce('?' || exchange.query, ''))
        """
}

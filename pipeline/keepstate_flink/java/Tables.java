package keepstate.flink;

import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.eventtime.TimestampAssigner;
import org.apache.flink.api.common.eventtime.TimestampAssignerSupplier;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.io.OutputFormat;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.formats.common.TimestampFormat;
import org.apache.flink.formats.json.JsonRowDataDeserializationSchema;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.ParallelismProvider;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.RuntimeConverter;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.OutputFormatProvider;
import org.apache.flink.table.connector.source.DataStreamScanProvider;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.LookupTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.abilities.SupportsProjectionPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsReadingMetadata;
import org.apache.flink.table.connector.source.abilities.SupportsWatermarkPushDown;
import org.apache.flink.table.connector.source.lookup.LookupFunctionProvider;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.DynamicTableFactory;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.LookupFunction;
import org.apache.flink.table.module.Module;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;

/**
 * Stands in for every connector, with what the planner asks of that one: whether its source makes watermarks, reads some
 * columns alone, answers by key, and which changes connector and format carry. One that is not known is like Kafka.
 *
 * Written for Janino, the compiler that Flink itself brings, so that no JDK is needed: neither lambdas nor generics.
 */
public final class Tables implements Module {
    /** The rows that each table of a run got, as Flink prints them; by "run/path". */
    private static final Map ROWS = new ConcurrentHashMap();
    /** What the sources of a run may read; by "run/path". */
    private static final Map CHANNELS = new ConcurrentHashMap();

    /** Which tables the jobs of a run read; by run. */
    private static final Map READ = new ConcurrentHashMap();

    /** Which tables they look up by key; by run. */
    private static final Map LOOKED_UP = new ConcurrentHashMap();

    /** Connectors whose tables answer by key as well. */
    private static final Set KEYED = new HashSet(Arrays.asList(new Object[] {
        "jdbc", "hbase", "hbase-1.4", "hbase-2.2", "redis", "mongodb"
    }));

    /** Connectors whose sources read the columns that are needed, and leave watermarks to an operator. */
    private static final Set PRUNED = new HashSet(Arrays.asList(new Object[] {
        "filesystem", "hive", "iceberg", "paimon"
    }));

    /** Connectors whose sources read all columns, and leave watermarks to an operator. */
    private static final Set UNMARKED = new HashSet(Arrays.asList(new Object[] {
        "datagen", "faker", "nexmark", "rabbitmq", "rocketmq", "socket", "db2-cdc", "mongodb-cdc", "mysql-cdc",
        "oceanbase-cdc", "oracle-cdc", "postgres-cdc", "sqlserver-cdc", "tidb-cdc", "vitess-cdc"
    }));

    private final String run;

    public Tables(String run) {
        this.run = run;
        READ.put(run, Collections.synchronizedSet(new TreeSet()));
        LOOKED_UP.put(run, Collections.synchronizedSet(new TreeSet()));
    }

    /** The tables that the planned jobs of a run read, each as a path that SQL can name. */
    public static List read(String run) {
        return new ArrayList((Set) READ.get(run));
    }

    /** The tables that the planned jobs of a run look up by key. */
    public static List lookedUp(String run) {
        return new ArrayList((Set) LOOKED_UP.get(run));
    }

    /** Lets a source read the first rows of its table, and end behind the last one if it is told so. */
    public static void offer(String table, List lines, int count, boolean ends) {
        Channel channel = channel(table);
        channel.lines = new ArrayList(lines);
        channel.open(count, ends);
    }

    /** Whether a source has emitted so many rows of its table; waits for it a moment. */
    public static boolean emitted(String table, int count, long milliseconds) throws InterruptedException {
        return channel(table).await(count, milliseconds);
    }

    /** What came out so far. */
    public static List rows(String table) {
        List rows = (List) ROWS.get(table);
        return rows == null ? new ArrayList() : new ArrayList(rows);
    }

    public static void forget(String table) {
        ROWS.remove(table);
        CHANNELS.remove(table);
    }

    private static synchronized Channel channel(String table) {
        Channel channel = (Channel) CHANNELS.get(table);
        if (channel == null) {
            channel = new Channel();
            CHANNELS.put(table, channel);
        }
        return channel;
    }

    public Optional getTableSourceFactory() {
        return Optional.of(new SourceFactory(this.run));
    }

    public Optional getTableSinkFactory() {
        return Optional.of(new SinkFactory(this.run));
    }

    private static String format(Map options) {
        Object format = options.get("format");
        return String.valueOf(format == null ? options.get("value.format") : format);
    }

    private static boolean carriesChanges(Map options) {
        String connector = String.valueOf(options.get("connector"));
        return connector.endsWith("-cdc") || format(options).matches("(debezium|canal|maxwell|ogg).*");
    }

    static final class Channel {
        List lines = new ArrayList();
        private int limit;
        private boolean ends;
        private int done;
        private CompletableFuture more = new CompletableFuture();

        synchronized void open(int count, boolean last) {
            this.limit = count;
            this.ends = last;
            CompletableFuture waiting = this.more;
            this.more = new CompletableFuture();
            waiting.complete(null);
        }

        synchronized String line(int offset) {
            return offset < this.limit ? (String) this.lines.get(offset) : null;
        }

        synchronized boolean over(int offset) {
            return this.ends && offset >= this.limit;
        }

        synchronized CompletableFuture available(int offset) {
            return offset < this.limit || this.ends ? CompletableFuture.completedFuture(null) : this.more;
        }

        synchronized void progress(int count) {
            this.done = count;
            this.notifyAll();
        }

        synchronized boolean await(int count, long milliseconds) throws InterruptedException {
            if (this.done < count) {
                this.wait(milliseconds);
            }
            return this.done >= count;
        }
    }

    /** The number of parallel tasks that an option of a table sets; null without it. */
    static Integer tasks(DynamicTableFactory.Context context, String option) {
        String value = (String) context.getCatalogTable().getOptions().get(option);
        return value == null ? null : Integer.valueOf(value.trim());
    }

    public static final class SourceFactory implements DynamicTableSourceFactory {
        private final String run;

        public SourceFactory(String run) {
            this.run = run;
        }

        public String factoryIdentifier() {
            return "keepstate";
        }

        public Set requiredOptions() {
            return Collections.emptySet();
        }

        public Set optionalOptions() {
            return Collections.emptySet();
        }

        public DynamicTableSource createDynamicTableSource(DynamicTableFactory.Context context) {
            String connector = String.valueOf(context.getCatalogTable().getOptions().get("connector"));
            if (KEYED.contains(connector)) {
                return new LookedUp(this.run, context);
            }
            if (PRUNED.contains(connector)) {
                return new PruningScan(this.run, context);
            }
            return UNMARKED.contains(connector) ? new Scan(this.run, context) : new MarkingScan(this.run, context);
        }
    }

    /** A table that a job reads whole. */
    public static class Scan implements ScanTableSource, SupportsReadingMetadata {
        final String run;
        final DynamicTableFactory.Context context;
        DataType produced;
        WatermarkStrategy watermarks;

        Scan(String run, DynamicTableFactory.Context context) {
            this.run = run;
            this.context = context;
            this.produced = context.getPhysicalRowDataType();
        }

        Scan(Scan other) {
            this.run = other.run;
            this.context = other.context;
            this.produced = other.produced;
            this.watermarks = other.watermarks;
        }

        public ChangelogMode getChangelogMode() {
            Map options = this.context.getCatalogTable().getOptions();
            if (String.valueOf(options.get("connector")).startsWith("upsert-")) {
                return ChangelogMode.upsert();
            }
            return carriesChanges(options) ? ChangelogMode.all() : ChangelogMode.insertOnly();
        }

        public Map listReadableMetadata() {
            Map metadata = new LinkedHashMap();
            for (Object each : this.context.getCatalogTable().getResolvedSchema().getColumns()) {
                if (each instanceof Column.MetadataColumn) {
                    Column.MetadataColumn column = (Column.MetadataColumn) each;
                    metadata.put(column.getMetadataKey().orElse(column.getName()), column.getDataType());
                }
            }
            return metadata;
        }

        public void applyReadableMetadata(List keys, DataType type) {
            this.produced = type;
        }

        public DynamicTableSource copy() {
            return new Scan(this);
        }

        public String asSummaryString() {
            return "keepstate";
        }

        public ScanTableSource.ScanRuntimeProvider getScanRuntimeProvider(ScanTableSource.ScanContext scan) {
            TypeInformation information = scan.createTypeInformation(this.produced);
            String name = this.context.getObjectIdentifier().asSerializableString();
            ((Set) READ.get(this.run)).add(name);
            Feed feed = new Feed(this.run + "/" + name, (RowType) this.produced.getLogicalType(), information);
            WatermarkStrategy strategy = WatermarkStrategy.noWatermarks();
            if (this.watermarks != null) {
                strategy = new AfterEachRow(this.watermarks);
            }
            return new FeedProvider(feed, strategy, information, tasks(this.context, "scan.parallelism"));
        }
    }

    /** A table whose source makes its watermarks itself, as that of Kafka does. */
    public static final class MarkingScan extends Scan implements SupportsWatermarkPushDown {
        MarkingScan(String run, DynamicTableFactory.Context context) {
            super(run, context);
        }

        MarkingScan(Scan other) {
            super(other);
        }

        public void applyWatermark(WatermarkStrategy strategy) {
            this.watermarks = strategy;
        }

        public DynamicTableSource copy() {
            return new MarkingScan(this);
        }
    }

    /** A table of which a job reads the columns that it needs, as from files. */
    public static class PruningScan extends Scan implements SupportsProjectionPushDown {
        PruningScan(String run, DynamicTableFactory.Context context) {
            super(run, context);
        }

        PruningScan(Scan other) {
            super(other);
        }

        public boolean supportsNestedProjection() {
            return false;
        }

        public void applyProjection(int[][] fields, DataType type) {
            this.produced = type;
        }

        public DynamicTableSource copy() {
            return new PruningScan(this);
        }
    }

    /** A table that answers by key as well. */
    public static final class LookedUp extends PruningScan implements LookupTableSource {
        LookedUp(String run, DynamicTableFactory.Context context) {
            super(run, context);
        }

        LookedUp(Scan other) {
            super(other);
        }

        public LookupTableSource.LookupRuntimeProvider getLookupRuntimeProvider(LookupTableSource.LookupContext keys) {
            String name = this.context.getObjectIdentifier().asSerializableString();
            ((Set) LOOKED_UP.get(this.run)).add(name);
            int[] places = new int[keys.getKeys().length];
            for (int i = 0; i < places.length; i++) {
                places[i] = keys.getKeys()[i][0];
            }
            RowType row = (RowType) this.produced.getLogicalType();
            String table = this.run + "/" + name;
            return LookupFunctionProvider.of(new ByKey(table, row, keys.createTypeInformation(this.produced), places));
        }

        public DynamicTableSource copy() {
            return new LookedUp(this);
        }
    }

    /** Finds the rows of a table by the values of some of its columns. */
    public static final class ByKey extends LookupFunction {
        private final String table;
        private final RowType type;
        private final TypeInformation information;
        private final int[] places;
        private transient JsonRowDataDeserializationSchema json;

        ByKey(String table, RowType type, TypeInformation information, int[] places) {
            this.table = table;
            this.type = type;
            this.information = information;
            this.places = places;
        }

        public void open(FunctionContext context) throws Exception {
            this.json = new JsonRowDataDeserializationSchema(
                this.type, this.information, false, false, TimestampFormat.SQL);
            this.json.open(null);
        }

        public Collection lookup(RowData key) throws IOException {
            List found = new ArrayList();
            for (Object line : channel(this.table).lines) {
                RowData row = (RowData) this.json.deserialize(
                    ((String) line).substring(2).getBytes(StandardCharsets.UTF_8));
                if (hasKey(row, key)) {
                    found.add(row);
                }
            }
            return found;
        }

        private boolean hasKey(RowData row, RowData key) {
            for (int i = 0; i < this.places.length; i++) {
                LogicalType type = this.type.getTypeAt(this.places[i]);
                Object own = RowData.createFieldGetter(type, this.places[i]).getFieldOrNull(row);
                Object asked = RowData.createFieldGetter(type, i).getFieldOrNull(key);
                if (own == null || !own.equals(asked)) {
                    return false;
                }
            }
            return true;
        }
    }

    public static final class FeedProvider implements DataStreamScanProvider, ParallelismProvider {
        private final Feed feed;
        private final WatermarkStrategy strategy;
        private final TypeInformation information;
        private final Integer tasks;

        FeedProvider(Feed feed, WatermarkStrategy strategy, TypeInformation information, Integer tasks) {
            this.feed = feed;
            this.strategy = strategy;
            this.information = information;
            this.tasks = tasks;
        }

        public Optional getParallelism() {
            return Optional.ofNullable(this.tasks);
        }

        public boolean isBounded() {
            return false;
        }

        public DataStream produceDataStream(ProviderContext context, StreamExecutionEnvironment environment) {
            String name = this.feed.table.substring(this.feed.table.indexOf('/') + 1);
            DataStreamSource stream = environment.fromSource(this.feed, this.strategy, name, this.information);
            Optional uid = context.generateUid("feed");
            if (uid.isPresent()) {
                stream.uid((String) uid.get());
            }
            return stream;
        }
    }

    /** Watermarks that do not wait for a clock, so that each run gives the same rows. */
    public static final class AfterEachRow implements WatermarkStrategy {
        private final WatermarkStrategy inner;

        AfterEachRow(WatermarkStrategy inner) {
            this.inner = inner;
        }

        public TimestampAssigner createTimestampAssigner(TimestampAssignerSupplier.Context context) {
            return this.inner.createTimestampAssigner(context);
        }

        public WatermarkGenerator createWatermarkGenerator(WatermarkGeneratorSupplier.Context context) {
            return new EagerGenerator(this.inner.createWatermarkGenerator(context));
        }
    }

    public static final class EagerGenerator implements WatermarkGenerator {
        private final WatermarkGenerator inner;

        EagerGenerator(WatermarkGenerator inner) {
            this.inner = inner;
        }

        public void onEvent(Object row, long timestamp, WatermarkOutput output) {
            this.inner.onEvent(row, timestamp, output);
            this.inner.onPeriodicEmit(output);
        }

        public void onPeriodicEmit(WatermarkOutput output) {
            this.inner.onPeriodicEmit(output);
        }
    }

    /** A source with one split, whose offset is in the savepoint. */
    public static final class Feed implements Source {
        final String table;
        private final RowType type;
        private final TypeInformation information;

        Feed(String table, RowType type, TypeInformation information) {
            this.table = table;
            List fields = new ArrayList();
            for (Object each : type.getFields()) {
                RowType.RowField field = (RowType.RowField) each;
                fields.add(new RowType.RowField(field.getName().replace("$metadata$", ""), field.getType()));
            }
            this.type = new RowType(type.isNullable(), fields);
            this.information = information;
        }

        public Boundedness getBoundedness() {
            return Boundedness.CONTINUOUS_UNBOUNDED;
        }

        public SplitEnumerator createEnumerator(SplitEnumeratorContext context) {
            return new Enumerator(context, false);
        }

        public SplitEnumerator restoreEnumerator(SplitEnumeratorContext context, Object assigned) {
            return new Enumerator(context, ((Split) assigned).offset > 0);
        }

        public SourceReader createReader(SourceReaderContext context) throws Exception {
            JsonRowDataDeserializationSchema json = new JsonRowDataDeserializationSchema(
                this.type, this.information, false, false, TimestampFormat.SQL);
            json.open(null);
            return new Reader(channel(this.table), json);
        }

        public SimpleVersionedSerializer getSplitSerializer() {
            return new SplitSerializer();
        }

        public SimpleVersionedSerializer getEnumeratorCheckpointSerializer() {
            return new SplitSerializer();
        }
    }

    public static final class Split implements SourceSplit, Serializable {
        final int offset;

        Split(int offset) {
            this.offset = offset;
        }

        public String splitId() {
            return "all";
        }
    }

    /** The enumerator remembers whether the split was assigned: as a split at 1 or at 0. */
    public static final class SplitSerializer implements SimpleVersionedSerializer {
        public int getVersion() {
            return 1;
        }

        public byte[] serialize(Object split) {
            return String.valueOf(((Split) split).offset).getBytes(StandardCharsets.UTF_8);
        }

        public Object deserialize(int version, byte[] bytes) {
            return new Split(Integer.parseInt(new String(bytes, StandardCharsets.UTF_8)));
        }
    }

    public static final class Enumerator implements SplitEnumerator {
        private final SplitEnumeratorContext context;
        private boolean assigned;

        Enumerator(SplitEnumeratorContext context, boolean assigned) {
            this.context = context;
            this.assigned = assigned;
        }

        public void start() {
        }

        public void handleSplitRequest(int subtask, String host) {
        }

        public void addSplitsBack(List splits, int subtask) {
            for (Object split : splits) {
                this.context.assignSplit((Split) split, subtask);
            }
        }

        public void addReader(int subtask) {
            if (subtask == 0 && !this.assigned) {
                this.assigned = true;
                this.context.assignSplit(new Split(0), 0);
            }
            this.context.signalNoMoreSplits(subtask);
        }

        public Object snapshotState(long checkpoint) {
            return new Split(this.assigned ? 1 : 0);
        }

        public void close() {
        }
    }

    public static final class Reader implements SourceReader {
        private final Channel channel;
        private final JsonRowDataDeserializationSchema json;
        private final CompletableFuture first = new CompletableFuture();
        private boolean assigned;
        private boolean told;
        private int offset;

        Reader(Channel channel, JsonRowDataDeserializationSchema json) {
            this.channel = channel;
            this.json = json;
        }

        public void start() {
        }

        public InputStatus pollNext(ReaderOutput output) throws Exception {
            String line = this.told ? this.channel.line(this.offset) : null;
            if (line == null) {
                boolean over = this.told && this.channel.over(this.offset);
                return over ? InputStatus.END_OF_INPUT : InputStatus.NOTHING_AVAILABLE;
            }
            RowData row = (RowData) this.json.deserialize(line.substring(2).getBytes(StandardCharsets.UTF_8));
            RowKind[] kinds = RowKind.values();
            for (int i = 0; i < kinds.length; i++) {
                if (kinds[i].shortString().equals(line.substring(0, 2))) {
                    row.setRowKind(kinds[i]);
                }
            }
            output.collect(row);
            this.offset++;
            this.channel.progress(this.offset);
            return InputStatus.MORE_AVAILABLE;
        }

        public List snapshotState(long checkpoint) {
            return this.assigned ? Collections.singletonList(new Split(this.offset)) : Collections.emptyList();
        }

        public CompletableFuture isAvailable() {
            return this.told ? this.channel.available(this.offset) : this.first;
        }

        public void addSplits(List splits) {
            this.offset = ((Split) splits.get(0)).offset;
            this.assigned = true;
        }

        /** It reads from here on, so that no event of the enumerator finds it at its end. Where the split belongs to
            another subtask it ends with the rows, not before: a job with parts that ended is restored by other rules. */
        public void notifyNoMoreSplits() {
            this.told = true;
            if (!this.assigned) {
                this.offset = Integer.MAX_VALUE;
            }
            this.first.complete(null);
        }

        public void close() {
        }
    }

    public static final class SinkFactory implements DynamicTableSinkFactory {
        private final String run;

        public SinkFactory(String run) {
            this.run = run;
        }

        public String factoryIdentifier() {
            return "keepstate";
        }

        public Set requiredOptions() {
            return Collections.emptySet();
        }

        public Set optionalOptions() {
            return Collections.emptySet();
        }

        public DynamicTableSink createDynamicTableSink(DynamicTableFactory.Context context) {
            return new Sink(this.run, context);
        }
    }

    public static final class Sink implements DynamicTableSink {
        private final String run;
        private final DynamicTableFactory.Context context;

        Sink(String run, DynamicTableFactory.Context context) {
            this.run = run;
            this.context = context;
        }

        /** Kafka takes new rows alone, what has keys takes updates by them, and print takes whatever comes. */
        public ChangelogMode getChangelogMode(ChangelogMode asked) {
            Map options = this.context.getCatalogTable().getOptions();
            String connector = String.valueOf(options.get("connector"));
            if (connector.equals("kafka") || connector.equals("pulsar")) {
                return carriesChanges(options) ? ChangelogMode.all() : ChangelogMode.insertOnly();
            }
            if (connector.startsWith("upsert-") || connector.equals("jdbc")) {
                boolean keyed = this.context.getPrimaryKeyIndexes().length > 0;
                return keyed ? ChangelogMode.upsert() : ChangelogMode.insertOnly();
            }
            return asked;
        }

        public DynamicTableSink copy() {
            return new Sink(this.run, this.context);
        }

        public String asSummaryString() {
            return "keepstate";
        }

        public DynamicTableSink.SinkRuntimeProvider getSinkRuntimeProvider(DynamicTableSink.Context sink) {
            String table = this.run + "/" + this.context.getObjectIdentifier().asSerializableString();
            DataType type = this.context.getPhysicalRowDataType();
            Collector collector = new Collector(table, sink.createDataStructureConverter(type));
            return OutputFormatProvider.of(collector, tasks(this.context, "sink.parallelism"));
        }
    }

    public static final class Collector implements OutputFormat {
        private final String table;
        private final DynamicTableSink.DataStructureConverter converter;

        Collector(String table, DynamicTableSink.DataStructureConverter converter) {
            this.table = table;
            this.converter = converter;
        }

        public void configure(Configuration configuration) {
        }

        public void open(OutputFormat.InitializationContext context) {
            this.converter.open(RuntimeConverter.Context.create(Collector.class.getClassLoader()));
        }

        public void writeRecord(Object row) {
            synchronized (ROWS) {
                List rows = (List) ROWS.get(this.table);
                if (rows == null) {
                    rows = Collections.synchronizedList(new ArrayList());
                    ROWS.put(this.table, rows);
                }
                rows.add(this.converter.toExternal(row).toString());
            }
        }

        public void close() {
        }
    }
}

package keepstate.conformance;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import keepstate.flink.Jobs;
import keepstate.flink.Tables;
import org.apache.flink.api.common.functions.Function;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.operators.SourceOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.table.api.internal.StatementSetImpl;
import org.apache.flink.table.api.internal.TableEnvironmentImpl;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.factories.DynamicTableFactory;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.module.Module;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * Plans scripts without running them: the compiled plan, and the operators that it is translated to, with their ids and
 * the types of what they keep.
 *
 * Written for Janino as well, and compiled after the classes of keepstate.flink.
 */
public final class Plans implements Module {
    /** Connectors that come with Flink, whose sources take projections; Tables stands in for all others. */
    private static final Set OWN = new HashSet(Arrays.asList(new Object[] {"datagen", "filesystem"}));

    /** Fields with types that no operator stores: of the rows that leave it, or that generated code takes. */
    private static final Set NOT_STORED = new HashSet(Arrays.asList(new Object[] {
        "Factory.inputSer",
        "IntervalJoinFunction.returnTypeInfo",
        "WindowOperator.aggResultTypes",
        "WindowOperator.inputFieldTypes",
        "WindowOperator.windowPropertyTypes"
    }));

    private final Tables tables;

    public Plans(String run) {
        this.tables = new Tables(run);
    }

    public Optional getTableSourceFactory() {
        return Optional.of(new Sources((DynamicTableSourceFactory) this.tables.getTableSourceFactory().get()));
    }

    public Optional getTableSinkFactory() {
        return this.tables.getTableSinkFactory();
    }

    /** JSON of the plan ("plan") and the operators ("operators") of the statements of a set. */
    public static String of(Object environment, Object statements) throws Exception {
        TableEnvironmentImpl tables = (TableEnvironmentImpl) environment;
        List operations = ((StatementSetImpl) statements).getOperations();
        ExecNodeContext.resetIdCounter();
        String plan = tables.compilePlan(operations).asJsonString();
        StreamGraph graph = Jobs.graph(environment, statements);
        Map ids = Jobs.ids(graph);
        List operators = new ArrayList();
        for (Object each : graph.getStreamNodes()) {
            StreamNode node = (StreamNode) each;
            boolean source = node.getOperatorFactory() instanceof SourceOperatorFactory;
            if (source || node.getStatePartitioners().length > 0) {
                operators.add(operator(node, source, (String) ids.get(Integer.valueOf(node.getId()))));
            }
        }
        ObjectMapper mapper = new ObjectMapper();
        Map all = new LinkedHashMap();
        all.put("plan", mapper.readTree(plan));
        all.put("operators", operators);
        return mapper.writeValueAsString(all);
    }

    private static Map operator(StreamNode node, boolean source, String id) throws Exception {
        Map found = new LinkedHashMap();
        found.put("id", id);
        found.put("source", Boolean.valueOf(source));
        if (source) {
            found.put("name", node.getOperatorName());
            return found;
        }
        Object operator = node.getOperatorFactory();
        if (operator instanceof SimpleOperatorFactory) {
            operator = ((SimpleOperatorFactory) operator).getOperator();
        }
        found.put("key", described(node.getStateKeySerializer()));
        Set kept = new TreeSet();
        collect(operator, kept, Collections.newSetFromMap(new IdentityHashMap()));
        found.put("kept", kept);
        return found;
    }

    /** Adds the classes of functions and operators, and all fields with types, as "class.field: types". */
    private static void collect(Object owner, Set kept, Set seen) throws Exception {
        if (owner == null || !seen.add(owner)) {
            return;
        }
        String name = owner.getClass().getSimpleName();
        if (owner instanceof Function || owner instanceof StreamOperator || name.endsWith("Factory")) {
            kept.add(name);
        }
        for (Class type = owner.getClass(); type != null; type = type.getSuperclass()) {
            if (!isWalked(type)) {
                continue;
            }
            Field[] fields = type.getDeclaredFields();
            for (int i = 0; i < fields.length; i++) {
                String path = type.getSimpleName() + "." + fields[i].getName();
                if (Modifier.isStatic(fields[i].getModifiers()) || NOT_STORED.contains(path)) {
                    continue;
                }
                fields[i].setAccessible(true);
                Object value = fields[i].get(owner);
                String types = described(value);
                if (types != null) {
                    kept.add(path + ": " + types);
                } else if (value != null && isWalked(value.getClass())) {
                    collect(value, kept, seen);
                }
            }
        }
    }

    private static boolean isWalked(Class type) {
        String name = type.getName();
        return name.startsWith("org.apache.flink.table.runtime") && !name.contains(".generated.")
            || name.startsWith("org.apache.flink.cep") || name.endsWith(".AbstractUdfStreamOperator");
    }

    /** The types of a type, serializer, or array of them; null for any other object. */
    private static String described(Object value) throws Exception {
        if (value instanceof LogicalType) {
            return unnamed((LogicalType) value);
        }
        if (value instanceof TypeInformation || value instanceof TypeSerializer) {
            return value instanceof TypeInformation && !hasTypes(value) ? value.toString() : fieldTypes(value);
        }
        if (value != null && value.getClass().isArray() && !value.getClass().getComponentType().isPrimitive()) {
            StringBuilder all = new StringBuilder();
            for (int i = 0; i < Array.getLength(value); i++) {
                String each = described(Array.get(value, i));
                if (each == null) {
                    return null;
                }
                all.append(i == 0 ? "" : ", ").append(each);
            }
            return "[" + all + "]";
        }
        return null;
    }

    private static boolean hasTypes(Object value) {
        return value.getClass().getName().startsWith("org.apache.flink.table.runtime");
    }

    /** The class of a serializer with the logical types that it holds, not their names. */
    private static String fieldTypes(Object value) throws Exception {
        List all = new ArrayList();
        Field[] fields = value.getClass().getDeclaredFields();
        for (int i = 0; i < fields.length; i++) {
            if (!Modifier.isStatic(fields[i].getModifiers()) && hasTypes(value)) {
                fields[i].setAccessible(true);
                Object held = fields[i].get(value);
                if (held instanceof LogicalType || held instanceof LogicalType[]) {
                    all.add(described(held));
                }
            }
        }
        return value.getClass().getSimpleName() + all;
    }

    /** A type without the names of its fields, and without what only the planner sees of a time attribute. */
    private static String unnamed(LogicalType type) throws Exception {
        if (type.getTypeRoot().name().equals("ROW") || type.getTypeRoot().name().equals("STRUCTURED_TYPE")) {
            List all = new ArrayList();
            for (Object each : type.getChildren()) {
                all.add(unnamed((LogicalType) each));
            }
            return type.getTypeRoot() + "" + all + (type.isNullable() ? "" : " NOT NULL");
        }
        return type.asSerializableString();
    }

    public static final class Sources implements DynamicTableSourceFactory {
        private final DynamicTableSourceFactory others;

        Sources(DynamicTableSourceFactory others) {
            this.others = others;
        }

        public String factoryIdentifier() {
            return "keepstate-plans";
        }

        public Set requiredOptions() {
            return Collections.emptySet();
        }

        public Set optionalOptions() {
            return Collections.emptySet();
        }

        public DynamicTableSource createDynamicTableSource(DynamicTableFactory.Context context) {
            String connector = String.valueOf(context.getCatalogTable().getOptions().get("connector"));
            if (OWN.contains(connector)) {
                ClassLoader loader = Plans.class.getClassLoader();
                Class wanted = DynamicTableSourceFactory.class;
                Object own = FactoryUtil.discoverFactory(loader, wanted, connector);
                return ((DynamicTableSourceFactory) own).createDynamicTableSource(context);
            }
            return this.others.createDynamicTableSource(context);
        }
    }
}

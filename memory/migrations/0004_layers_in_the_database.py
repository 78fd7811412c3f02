from django.db import migrations

# One sequence for nodes and links, since either may be the end of a link. What changes often lies apart from what is
# wide, with room on its pages; vectors are stored in the row, where an index-only scan finds them.
_SHAPE = """
create sequence element_id;
alter table node alter id set default nextval('element_id');
alter table link alter id set default nextval('element_id');
alter sequence element_id owned by none;
alter table node set (fillfactor = 90);
alter table node_strength set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
alter table node_index set (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05);
alter table node_index alter embedding set storage plain, alter search set storage main;
alter table staged_vector alter embedding set storage plain;
alter table scope_stat alter rows set default 0, alter length set default 0, alter counted set default 0,
  alter embedder set default '', alter dimensions set default 0, alter speakers set default '[]';
alter table term_df alter word set default '';
alter table session_line add foreign key (session) references session on delete cascade;
alter table transcript_piece add foreign key (job) references transcript_import on delete cascade;
"""

_OF_A_NODE = ("node_strength", "node_index", "node_source", "node_fact", "reinforcement", "staged_vector")
_OF_A_RUN = ("distilled_range", "proposal")


class Migration(migrations.Migration):
    dependencies = [("memory", "0003_layers")]

    operations = [
        migrations.RunSQL(_SHAPE, migrations.RunSQL.noop),
        *(
            migrations.RunSQL(
                f"alter table {table} add foreign key (node) references node on delete cascade", migrations.RunSQL.noop
            )
            for table in _OF_A_NODE
        ),
        *(
            migrations.RunSQL(
                f"alter table {table} add foreign key (run) references distillation on delete cascade",
                migrations.RunSQL.noop,
            )
            for table in _OF_A_RUN
        ),
    ]
